"""Evaluates expressions with NumPy, in the way that the documentation of package compute states
where NumPy leaves it open, and counts what occurs."""

import ast

OPERATORS = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%", ast.Pow: "**",
    ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^", ast.LShift: "<<", ast.RShift: ">>",
    ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!=",
    ast.USub: "negative", ast.UAdd: "+", ast.Invert: "~",
}
PYTHON = {"+": "add", "-": "sub", "*": "mul", "/": "truediv", "//": "floordiv", "%": "mod", "**": "pow", "&": "and_",
          "|": "or_", "^": "xor", "<<": "lshift", ">>": "rshift", "<": "lt", "<=": "le", ">": "gt", ">=": "ge",
          "==": "eq", "!=": "ne"}
occurred = {}  # names of operators and functions, with the dtypes of their arguments
broadcasts = {}  # kinds of broadcasting, and how often each occurred


def kind(x):
    return np.dtype(x.dtype).newbyteorder("=").str[1:] if isinstance(x, (np.ndarray, np.generic)) else "number"


def count(name, *args):
    occurred.setdefault(name, {}).setdefault(tuple(kind(a) for a in args), 0)
    occurred[name][tuple(kind(a) for a in args)] += 1


def count_shapes(*args):
    shapes = [np.shape(a) for a in args if isinstance(a, np.ndarray)]
    for one, other in zip(shapes, shapes[1:]):
        if one == other:
            what = "equal"
        elif not one or not other:
            what = "an item"
        else:
            both = list(zip(one[::-1], other[::-1]))
            up, down = any(a < b for a, b in both), any(a > b for a, b in both)
            what = "along both" if up and down else "along one"
            if len(one) != len(other):
                broadcasts["fewer dimensions"] = broadcasts.get("fewer dimensions", 0) + 1
        if 0 in one + other:
            broadcasts["empty"] = broadcasts.get("empty", 0) + 1
        broadcasts[what] = broadcasts.get(what, 0) + 1


def of_zeros(numpy, negative):
    """minimum and maximum, of which NumPy does not say which of two zeros they return."""

    def run(x, y):
        out = np.asarray(numpy(x, y))
        if out.dtype.kind == "f":
            a, b = np.broadcast_arrays(*(np.asarray(v).astype(out.dtype) for v in (x, y)))
            out = np.where((a == 0) & (b == 0), negative(np.copysign(1, a), np.copysign(1, b)) * np.zeros_like(out), out)
        return out[()]

    return run


def where(c, x, y):
    for v, w in ((x, y), (y, x)):  # literals that do not fit are refused, not cut off
        if type(v) is int and isinstance(w, (np.ndarray, np.generic)):
            np.minimum(w, v)
    return np.where(c, x, y)


def cast(name):
    t = np.dtype(name).type
    return lambda x: x.astype(t) if isinstance(x, (np.ndarray, np.generic)) else t(x)


FUNCTIONS = {n: getattr(np, n) for n in UNARY + PAIRS + PARTS} | {n: cast(n) for n in CASTS}
FUNCTIONS["where"] = where
for name in PARTS:  # of Python's own numbers, NumPy's are Python's numbers again
    FUNCTIONS[name] = lambda x, of=getattr(np, name): of(np.asarray(x))[()]
FUNCTIONS["index"] = lambda x, axis: np.indices(x.shape)[axis]
FUNCTIONS["square"] = lambda x: product(x, x) if np.asarray(x).dtype.kind == "c" else np.square(x)
FUNCTIONS["minimum"] = of_zeros(np.minimum, np.minimum)
FUNCTIONS["maximum"] = of_zeros(np.maximum, np.maximum)
FUNCTIONS["fmin"] = of_zeros(np.fmin, lambda a, b: a)
FUNCTIONS["fmax"] = of_zeros(np.fmax, lambda a, b: a)
FUNCTIONS["clip"] = lambda x, low, high: FUNCTIONS["minimum"](FUNCTIONS["maximum"](x, low), high)


class Odd(Exception):
    """NumPy contradicts itself, or the bounds are not known: no case."""


class Evaluator:
    def __init__(self, arrays):
        self.names = {"pi": np.pi, "inf": np.inf, "True": True} | arrays

    def expected(self, text):
        """What a result of the expression must be: an object with dtype and wrong."""
        n = ast.parse(text, mode="eval").body
        if isinstance(n, ast.Call):
            name, args = n.func.id, n.args
            if name in ALL_REDUCTIONS:
                return self.reduction(n)
            x = [self.value(a) for a in args]
            if name in INEXACT + INEXACT_PAIRS or name in ("abs", "sqrt") and np.asarray(x[0]).dtype.kind == "c":
                count(name, *x)
                count_shapes(*x)
                return function(name, *x)
        elif isinstance(n, ast.BinOp) and isinstance(n.op, ast.Pow):
            x, y = self.value(n.left), self.value(n.right)
            count("**", x, y)
            exact = not isinstance(y, np.ndarray) and not isinstance(y, np.generic) and y in (0, 1, 2, 0.5, -1)
            if not exact and np.asarray(x ** y).dtype.kind == "f":
                return function("**", np.asarray(x), y)
            count_shapes(x, y)
        elif isinstance(n, ast.BinOp) and isinstance(n.right, ast.Call) and n.right.func.id in ALL_REDUCTIONS:
            return self.with_reduction(n)
        return Exactly(self.value(n))

    def reduction(self, n):
        x = self.value(n.args[0])
        count(n.func.id, x)
        keys = {k.arg: ast.literal_eval(k.value) for k in n.keywords}
        q = float(ast.literal_eval(n.args[1])) if len(n.args) > 1 else None
        if n.func.id.endswith(("argmin", "argmax")) and isinstance(keys.get("axis"), tuple):
            keys["axis"] = keys["axis"][0]
        return reduce(n.func.id, x, q, **keys)

    def with_reduction(self, n):
        """An operator that rises or falls with its right side, which lies between two numbers."""
        x, r = self.value(n.left), self.reduction(n.right)
        op = OPERATORS[type(n.op)]
        ends = [self.binary(op, x, v) for v in ([r.low, r.high] if isinstance(r, Between) else [r.low, r.low])]
        if not isinstance(r, Between):
            return Exactly(ends[0], True)
        if np.asarray(ends[0]).dtype.kind != "f":
            raise Odd("only real numbers lie between others")
        out = Between(0, 0, np.asarray(ends[0]).dtype)
        # NumPy does not say which of two zeros is less; a sign is known if both ends have it.
        negative = [np.signbit(v) for v in ends]
        zeros = (ends[0] == 0) & (ends[1] == 0) & (negative[0] != negative[1])
        out.low = np.where(zeros, np.copysign(0, -1), np.minimum(*ends)).astype(out.dtype)
        out.high = np.where(zeros, 0, np.maximum(*ends)).astype(out.dtype)
        return out

    def value(self, n):
        if isinstance(n, ast.Constant):
            return n.value
        if isinstance(n, ast.Name):
            return self.names[n.id]
        if isinstance(n, ast.Subscript):
            return eval(ast.unparse(n), {}, self.names)
        if isinstance(n, ast.UnaryOp):
            x = self.value(n.operand)
            name = OPERATORS[type(n.op)]
            count(name, x)
            return -x if name == "negative" else +x if name == "+" else ~x
        if isinstance(n, ast.BinOp):
            return self.binary(OPERATORS[type(n.op)], self.value(n.left), self.value(n.right))
        if isinstance(n, ast.Compare):
            return self.binary(OPERATORS[type(n.ops[0])], self.value(n.left), self.value(n.comparators[0]))
        args = [self.value(a) for a in n.args]
        if n.func.id in COMPLEX_FUNCTIONS and np.asarray(args[0]).dtype.kind == "c":
            raise Odd("only its bounds are known")
        if n.func.id == "copysign" and not isinstance(n.args[1], ast.Name) and np.isnan(args[1]).any():
            raise Odd("the sign of a NaN that was computed is the processor's choice")
        count(n.func.id, *args)
        count_shapes(*args)
        return FUNCTIONS[n.func.id](*args)

    def binary(self, op, x, y):
        if op == "**" and np.ndim(x) == 0 and np.asarray(x).dtype.kind == "b":
            raise Odd("NumPy squares scalar bools in int64, and other bools in int8")
        count(op, x, y)
        count_shapes(x, y)
        if np.asarray(x).dtype.kind == "c" and op == "**" and isinstance(y, (int, float)) and y in (1, 2):
            return product(x, x) if y == 2 else x  # NumPy makes the zeros of x positive
        if op == "*" and np.result_type(x, y).kind == "c" and not (isinstance(x, int) and isinstance(y, int)):
            if "c" in (np.asarray(x).dtype.kind, np.asarray(y).dtype.kind):
                return product(x, y)
        return getattr(operator, PYTHON[op])(x, y)


def table():
    """What occurred, for people, and what did not."""
    names = ARITHMETIC + COMPARISONS + BITS + ["~"] + UNARY + INEXACT + PAIRS + INEXACT_PAIRS[:2] + PARTS
    names += CASTS + ["where", "clip"] + ALL_REDUCTIONS
    missing = [n for n in names if n not in occurred]
    kinds = [np.dtype(d).str[1:] for d in DTYPES]
    pairs = {p for n in ARITHMETIC + COMPARISONS + BITS + PAIRS for p in occurred.get(n, {}) if len(p) == 2}
    missing += [f"{a} and {b}" for a in kinds for b in kinds if (a, b) not in pairs]
    missing += [f"reduction of {d}" for d in kinds if not any((d,) in occurred.get(n, {}) for n in ALL_REDUCTIONS)]
    missing += [b for b in ("equal", "an item", "along one", "along both", "fewer dimensions", "empty") if b not in broadcasts]
    lines = [f"{'':12}    times  dtypes"]
    lines += [f"{n:12} {sum(d.values()):8} {len(d):7}" for n in names if (d := occurred.get(n))]
    lines += [f"pairs of dtypes {len([p for p in pairs if 'number' not in p])} of {len(kinds) ** 2}"]
    lines += [f"broadcasting: {b}, {n} times" for b, n in sorted(broadcasts.items())]
    return "\n".join(lines), missing
