// Reads an array of a server with zarrita and compares its items with those in a file.
import * as fs from "node:fs";
import * as readline from "node:readline";
import * as zarr from "zarrita";

async function compare(c) {
  const store = new zarr.FetchStore(c.url);
  const open = c.version === 2 ? zarr.open.v2 : zarr.open.v3;
  const a = await open(store, { kind: "array" });
  const got = await zarr.get(a);
  const bytes = Buffer.from(got.data.buffer, got.data.byteOffset, got.data.byteLength);
  const want = fs.readFileSync(c.want);
  if (c.big) {
    for (let i = 0; i < want.length; i += c.size) want.subarray(i, i + c.size).reverse();
  }
  return { same: bytes.equals(want), note: `${bytes.length} bytes, want ${want.length}` };
}

for await (const line of readline.createInterface({ input: process.stdin })) {
  let answer;
  try {
    answer = await compare(JSON.parse(line));
  } catch (e) {
    answer = { error: String(e), trace: e.stack };
  }
  process.stdout.write(JSON.stringify(answer) + "\n");
}
