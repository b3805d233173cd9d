// Reads an array of a server or a directory with zarrita, and compares its items with those in a
// file.
import * as fs from "node:fs";
import * as readline from "node:readline";
import * as zarr from "zarrita";
import { FileSystemStore } from "@zarrita/storage";

async function compare(c) {
  const store = c.where.startsWith("http:") ? new zarr.FetchStore(c.where) : new FileSystemStore(c.where);
  const open = c.version === 2 ? zarr.open.v2 : zarr.open.v3;
  const a = await open(store, { kind: "array" });
  const got = await zarr.get(a);
  const data = ArrayBuffer.isView(got.data) ? got.data : got;
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  const want = fs.readFileSync(c.want);
  if (c.big) {
    for (let i = 0; i < want.length; i += c.size) want.subarray(i, i + c.size).reverse();
  }
  if (got.data === undefined) {
    return { same: true, note: "scalar" };
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
