// Against the real PyTorch: it reads what is saved here, and what it saves is read here.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StateDict, Tensor, tensor } from '@voxgrad/core';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { inspect, load, save, type Unreadable } from '../src/index.js';
import {
  expectFailure,
  fixture,
  fixturePath,
  mapIn,
  python,
  runPython,
  stopPython,
  tensorIn,
} from './support.js';

if (python === undefined)
  console.warn('PyTorch is not installed (apt-get install python3-torch): its tests are skipped');

const folder = mkdtempSync(join(tmpdir(), 'voxgrad-'));
afterAll(() => {
  rmSync(folder, { recursive: true });
  stopPython();
});
const file = (name: string): string => join(folder, name);

/** Values as Python sees them, tensors as `[dtype, shape, strides, values]`. */
const DESCRIBE = `
import json, sys, torch, collections
def show(x):
    if isinstance(x, torch.Tensor):
        y = x.detach()
        y = y.double() if y.is_floating_point() else y
        values = [repr(v) for v in y.reshape(-1).tolist()]
        return [str(x.dtype)[6:], list(x.shape), list(x.stride()), x.requires_grad, values]
    if isinstance(x, dict):
        return {"type": type(x).__name__, "items": [[show(k), show(v)] for k, v in x.items()],
                "metadata": show(getattr(x, "_metadata", None))}
    if isinstance(x, (list, tuple)): return [type(x).__name__] + [show(v) for v in x]
    if isinstance(x, (set, bytes)): return repr(x)
    return [type(x).__name__, repr(x)]
`;

describe.skipIf(python === undefined)('PyTorch reads', () => {
  const reads = async (path: string): Promise<unknown> =>
    JSON.parse(
      await runPython(
        `${DESCRIBE}
print(json.dumps(show(torch.load(sys.argv[1]))))`,
        path,
      ),
    );

  test('plain values with the types they have in Python', async () => {
    const values = [
      0,
      -1,
      255,
      256,
      65536,
      -2147483648,
      2147483648,
      2 ** 53 - 1,
      2 ** 60,
      0.5,
      -0,
      1e300,
      Number.NaN,
      Number.POSITIVE_INFINITY,
      2n ** 63n,
      -(2n ** 100n),
      0n,
      -128n,
      128n,
      true,
      false,
      null,
      '',
      'ü €',
      '𝄞',
    ];
    await save(values, file('plain.pt'));
    expect(await reads(file('plain.pt'))).toEqual([
      'list',
      ...['0', '-1', '255', '256', '65536', '-2147483648', '2147483648', '9007199254740991'].map(
        (text) => ['int', text],
      ),
      ...['1.152921504606847e+18', '0.5', '-0.0', '1e+300', 'nan', 'inf'].map((t) => ['float', t]),
      ...['9223372036854775808', '-1267650600228229401496703205376', '0', '-128', '128'].map(
        (text) => ['int', text],
      ),
      ['bool', 'True'],
      ['bool', 'False'],
      ['NoneType', 'None'],
      ['str', "''"],
      ['str', "'ü €'"],
      ['str', "'𝄞'"],
    ]);
  });

  test('containers, also shared and cyclic ones', async () => {
    const shared = [1];
    const cycle: unknown[] = [];
    cycle.push(cycle);
    await save({ map: new Map([[1, 'a']]), shared, again: shared, cycle }, file('containers.pt'));
    const script = `
import sys, torch
x = torch.load(sys.argv[1])
assert x["map"] == {1: "a"} and x["shared"] is x["again"], x
assert x["cycle"][0] is x["cycle"]
print("ok")`;
    expect(await runPython(script, file('containers.pt'))).toBe('ok\n');
  });

  test('sets and bytes', async () => {
    await save([new Set([1]), bytesOf(0, 200, 255)], file('sets.pt'));
    expect(await reads(file('sets.pt'))).toEqual(['list', '{1}', "b'\\x00\\xc8\\xff'"]);
  });

  test('every dtype and layout, byte for byte', async () => {
    const dtypes = await load(fixture('dtypes.pt'));
    await save(dtypes, file('dtypes.pt'));
    await save(await load(file('dtypes.pt')), file('again.pt'));
    const script = `
import sys, torch
a, b = (torch.load(path) for path in sys.argv[1:])
assert list(a) == list(b)
for name in a:
    x, y = a[name].detach(), b[name].detach()
    assert (x.dtype, x.shape, x.stride(), x.storage_offset()) == (y.dtype, y.shape, y.stride(), y.storage_offset()), name
    assert a[name].requires_grad == b[name].requires_grad, name
    assert bytes(x.contiguous().view(torch.uint8).reshape(-1).tolist() if x.numel() and x.dim() else []) == bytes(y.contiguous().view(torch.uint8).reshape(-1).tolist() if x.numel() and x.dim() else []), name
assert b["shared_first"].storage().data_ptr() == b["shared_second"].storage().data_ptr()
print("ok")`;
    const original = fixturePath('dtypes.pt');
    expect(await runPython(script, original, file('dtypes.pt'))).toBe('ok\n');
    expect(await runPython(script, original, file('again.pt'))).toBe('ok\n');
  });

  test('a state dict with its metadata, strictly and into a model', async () => {
    const dict = new StateDict([
      ['0.weight', tensor([[1, 2]])],
      ['0.bias', tensor([3])],
    ]);
    dict.metadata = new Map([
      ['', { version: 1 }],
      ['0', { version: 1 }],
    ]);
    await save({ model: dict }, file('model.pt'));
    const script = `
import sys, torch, collections
d = torch.load(sys.argv[1], weights_only=True)["model"]
assert type(d) is collections.OrderedDict
assert d._metadata == collections.OrderedDict([("", {"version": 1}), ("0", {"version": 1})])
model = torch.nn.Sequential(torch.nn.Linear(2, 1))
model.load_state_dict(d)
print(model(torch.ones(1, 2)).item())`;
    expect(await runPython(script, file('model.pt'))).toBe('6.0\n');
  });

  test('a whole training checkpoint, which its optimizer resumes from', async () => {
    await save(await load(fixture('training_checkpoint.pt')), file('training.pt'));
    const script = `
import sys, torch
from torch import nn
c = torch.load(sys.argv[1])
class Network(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv3d(1, 2, 3, padding=1)
        self.norm = nn.BatchNorm3d(2)
        self.up = nn.ConvTranspose3d(2, 3, 2, stride=2, bias=False)
        self.classify = nn.Linear(3, 2)
model = Network()
model.load_state_dict(c["model"])
optimizer = torch.optim.Adam(model.parameters())
optimizer.load_state_dict(c["optimizer"])
for p in model.parameters(): p.grad = torch.ones_like(p)
optimizer.step()
print(c["epoch"], c["history"], optimizer.param_groups[0]["lr"])`;
    expect(await runPython(script, file('training.pt'))).toBe('3 [0.5, 0.25] 0.01\n');
  });

  test('storage data aligned to 64 bytes, and archives that Python finds whole', async () => {
    await save([tensor([1, 2, 3]), tensor([4])], file('aligned.pt'));
    const script = `
import sys, zipfile
z = zipfile.ZipFile(sys.argv[1])
assert z.testzip() is None
names = z.namelist()
for info in z.infolist():
    z.fp.seek(info.header_offset + 26)
    name, extra = (int.from_bytes(z.fp.read(2), "little") for _ in "ab")
    assert (info.header_offset + 30 + name + extra) % 64 == 0, info
    assert info.compress_type == zipfile.ZIP_STORED
print(" ".join(names))`;
    expect(await runPython(script, file('aligned.pt'))).toBe(
      'archive/data.pkl archive/byteorder archive/data/0 archive/data/1 archive/version\n',
    );
  });
});

const bytesOf = (...values: number[]) => Uint8Array.from(values);

describe.skipIf(python === undefined)('PyTorch writes, and it is read', () => {
  const writes = async (name: string, body: string): Promise<string> => {
    await runPython(`import sys, collections, io, torch\n${body}`, file(name));
    return file(name);
  };

  test.each([2, 3, 4, 5])('with pickle protocol %i, zip and legacy', async (protocol) => {
    for (const zip of ['True', 'False']) {
      const path = await writes(
        `protocol${protocol}${zip}.pt`,
        `
x = {"t": torch.arange(6.).reshape(2, 3).t(), "p": torch.nn.Parameter(torch.ones(2)),
     "s": {1, 2}, "f": frozenset([3]), "b": b"\\x00\\xff", "a": bytearray(b"ab"), "i": -2**70,
     "size": torch.Size([1, 2]), "device": torch.device("cuda", 1), "dtype": torch.float16,
     "od": collections.OrderedDict([("k", 1)]), "dd": collections.defaultdict(list, {"q": [1]}),
     "c": collections.Counter("aab"), (("n" * 300)): None, "tuple": (1, (2,), ()), "f64": 0.1,
     "long": "x" * 70000, "many": list(range(3000))}
torch.save(x, sys.argv[1], pickle_protocol=${protocol}, _use_new_zipfile_serialization=${zip})`,
      );
      const all = mapIn(await load(path));
      expect(tensorIn(all.get('t')).tolist()).toEqual([
        [0, 3],
        [1, 4],
        [2, 5],
      ]);
      expect(tensorIn(all.get('p')).requiresGrad).toBe(true);
      expect(all.get('s')).toEqual(new Set([1, 2]));
      expect(all.get('f')).toEqual(new Set([3]));
      expect(all.get('b')).toEqual(bytesOf(0, 255));
      expect(all.get('a')).toEqual(bytesOf(97, 98));
      expect(all.get('i')).toBe(-(2n ** 70n));
      expect(all.get('size')).toEqual([1, 2]);
      expect(all.get('device')).toBe('cuda:1');
      expect(all.get('dtype')).toBe('float16');
      expect(all.get('od')).toEqual(new Map([['k', 1]]));
      expect(all.get('dd')).toEqual(new Map([['q', [1]]]));
      expect(all.get('c')).toEqual(
        new Map([
          ['a', 2],
          ['b', 1],
        ]),
      );
      expect(all.get('n'.repeat(300))).toBe(null);
      expect(all.get('tuple')).toEqual([1, [2], []]);
      expect(all.get('f64')).toBe(0.1);
      expect(all.get('long')).toBe('x'.repeat(70000));
      expect(all.get('many')).toEqual(Array.from({ length: 3000 }, (_, i) => i));
    }
  });

  test('every dtype in a legacy file, with a shared storage', async () => {
    const path = await writes(
      'legacy_dtypes.pt',
      `
base = torch.arange(8.)
x = {n: torch.ones(3, dtype=getattr(torch, n)) for n in
     "float64 float32 float16 bfloat16 int64 int32 int16 int8 uint8 bool".split()}
x["a"], x["b"] = base[2:], base[::3]
torch.save(x, sys.argv[1], _use_new_zipfile_serialization=False)`,
    );
    const all = mapIn(await load(path));
    for (const dtype of ['float64', 'float32', 'float16', 'bfloat16', 'int32', 'int8', 'uint8']) {
      expect(tensorIn(all.get(dtype)).dtype).toBe(dtype);
      expect(tensorIn(all.get(dtype)).tolist()).toEqual([1, 1, 1]);
    }
    expect(tensorIn(all.get('bool')).tolist()).toEqual([true, true, true]);
    expect(tensorIn(all.get('a')).storage).toBe(tensorIn(all.get('b')).storage);
    expect(tensorIn(all.get('b')).tolist()).toEqual([0, 3, 6]);
  });

  test('tensors with attributes and of unusual layout', async () => {
    const path = await writes(
      'attributes.pt',
      `
t = torch.arange(2.); t.note = 1
x = {"attributes": t, "none": torch.empty(0, 3), "grad": torch.ones(1, requires_grad=True),
     "end": torch.arange(9.).reshape(3, 3)[3:, 3:], "same": [t, t]}
torch.save(x, sys.argv[1])`,
    );
    const all = mapIn(await load(path));
    expect(tensorIn(all.get('attributes')).tolist()).toEqual([0, 1]);
    expect(tensorIn(all.get('grad')).requiresGrad).toBe(true);
    expect(tensorIn(all.get('end')).shape).toEqual([0, 0]);
    const [one, other] = all.get('same') as Tensor[];
    expect(one).toBe(other);
  });

  test('a deflated archive without a byte order', async () => {
    const path = await writes(
      'deflated.pt',
      `
import zipfile
buffer = io.BytesIO(); torch.save({"w": torch.zeros(1000)}, buffer)
source = zipfile.ZipFile(buffer)
with zipfile.ZipFile(sys.argv[1], "w", zipfile.ZIP_DEFLATED) as target:
    for name in source.namelist(): target.writestr(name, source.read(name))`,
    );
    expect(tensorIn(mapIn(await load(path)).get('w')).shape).toEqual([1000]);
  });

  test.each([
    ['complex', 'torch.ones(2, dtype=torch.complex64)', 'complex64', [2], /view_as_real/],
    ['sparse', 'torch.eye(2).to_sparse()', 'float32', [2, 2], /to_dense/],
    ['sparse CSR', 'torch.eye(2).to_sparse_csr()', 'float32', [2, 2], /to_dense/],
    [
      'quantized',
      'torch.quantize_per_tensor(torch.ones(3), 0.1, 0, torch.qint8)',
      'qint8',
      [3],
      /dequantize/,
    ],
    ['meta', 'torch.empty(2, 5, device="meta")', 'float32', [2, 5], /no numbers/],
    ['complex number', '1j', undefined, undefined, /a complex number/],
  ])('%s entries are reported by name, the rest is read', async (_, code, dtype, shape, why) => {
    for (const zip of ['True', 'False']) {
      const path = await writes(
        'unsupported.pt',
        `torch.save({"model": {"fine": torch.ones(1), "bad.weight": ${code}}, "list": [${code}, 7]},
                    sys.argv[1], _use_new_zipfile_serialization=${zip})`,
      );
      const reported: Unreadable[] = [];
      const all = mapIn(await load(path, { onUnreadable: (entry) => reported.push(entry) }));
      expect([...mapIn(all.get('model')).keys()]).toEqual(['fine']);
      expect(all.get('list')).toEqual([null, 7]);
      const expected = { ...(dtype && { dtype, shape }), unreadable: expect.stringMatching(why) };
      expect(reported).toEqual([
        { name: 'model.bad.weight', ...expected },
        { name: 'list.0', ...expected },
      ]);
      const { tensors, unreadable = [] } = await inspect(path);
      expect([...tensors, ...unreadable]).toContainEqual({ name: 'list.0', ...expected });
      await expectFailure(
        load(await writes('alone.pt', `torch.save(${code}, sys.argv[1])`)),
        'UNSUPPORTED',
        why,
      );
    }
  });

  test('without onUnreadable, one warning names all that is left out', async () => {
    const path = await writes('warned.pt', 'torch.save({"a": 1j, "b": [2j], "c": 1}, sys.argv[1])');
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
    expect(await load(path)).toEqual(
      new Map<string, unknown>([
        ['b', [null]],
        ['c', 1],
      ]),
    );
    expect(warn).toHaveBeenCalledTimes(1);
    expect(warn.mock.calls[0][0]).toMatch(/^2 entries.*\n {2}a: is a complex.*\n {2}b\.0: is a/);
    warn.mockRestore();
  });

  const numpy = python !== undefined && spawnSync(python, ['-c', 'import numpy']).status === 0;
  test.skipIf(!numpy).each([2, 4, 5])('NumPy values, protocol %i', async (protocol) => {
    const path = await writes(
      `numpy${protocol}.pt`,
      `
import numpy as np
x = {"f": np.float64(0.5), "i": np.int64(-3), "big": np.int64(2**62), "b": np.bool_(True),
     "a": np.arange(6, dtype="f4").reshape(2, 3), "t": np.arange(6, dtype="i8").reshape(2, 3).T,
     "e": np.zeros((0, 2)), "u": np.array([1, 255], dtype="u1")}
torch.save(x, sys.argv[1], pickle_protocol=${protocol})`,
    );
    const all = mapIn(await load(path));
    expect([all.get('f'), all.get('i'), all.get('big'), all.get('b')]).toEqual([
      0.5,
      -3,
      2n ** 62n,
      true,
    ]);
    expect(tensorIn(all.get('a')).tolist()).toEqual([
      [0, 1, 2],
      [3, 4, 5],
    ]);
    expect(tensorIn(all.get('t')).tolist()).toEqual([
      [0n, 3n],
      [1n, 4n],
      [2n, 5n],
    ]);
    expect(tensorIn(all.get('e')).shape).toEqual([0, 2]);
    expect(tensorIn(all.get('u')).dtype).toBe('uint8');
  });

  test.skipIf(!numpy)('NumPy arrays and scalars of every dtype', async () => {
    const path = await writes(
      'numpy_all.pt',
      `
import numpy as np
codes = "f2 f4 f8 i1 i2 i4 i8 u1 u2 u4 u8 b1 >f2 >f4 >f8 >i2 >i4 >i8 >u2 >u4 >u8".split()
x = {c: np.array([[0, 1, 100], [7, 2, 3]]).astype(c) for c in codes}
x |= {"s" + c: np.array(100).astype(c)[()] for c in codes}
x |= {"max": np.array([2**63 - 1], "u8"), "u2max": np.array([65535], "u2"), "u4max": np.array([2**32 - 1], "u4"),
      "text": np.str_("aé𝄞"), "bytes": np.bytes_(b"ab"), "hugeScalar": np.uint64(2**64 - 1)}
torch.save(x, sys.argv[1])`,
    );
    const all = mapIn(await load(path));
    const DTYPES: Record<string, string> = {
      f2: 'float16',
      f4: 'float32',
      f8: 'float64',
      i1: 'int8',
      i2: 'int16',
      i4: 'int32',
      i8: 'int64',
      u1: 'uint8',
      u2: 'int32',
      u4: 'int64',
      u8: 'int64',
      b1: 'bool',
    };
    for (const [code, dtype] of Object.entries(DTYPES))
      for (const order of ['', '>']) {
        if (!all.has(order + code)) continue;
        const tensor = tensorIn(all.get(order + code));
        expect(tensor.dtype).toBe(dtype);
        const exact = (n: number) =>
          dtype === 'bool' ? n !== 0 : dtype === 'int64' ? BigInt(n) : n;
        expect(tensor.tolist(), order + code).toEqual([
          [0, 1, 100].map(exact),
          [7, 2, 3].map(exact),
        ]);
        expect(all.get(`s${order}${code}`)).toBe(dtype === 'bool' ? true : 100);
      }
    expect(tensorIn(all.get('max')).tolist()).toEqual([2n ** 63n - 1n]);
    expect(tensorIn(all.get('u2max')).tolist()).toEqual([65535]);
    expect(tensorIn(all.get('u4max')).tolist()).toEqual([2n ** 32n - 1n]);
    expect(all.get('text')).toBe('aé𝄞');
    expect(all.get('bytes')).toEqual(Uint8Array.of(97, 98));
    expect(all.get('hugeScalar')).toBe(2n ** 64n - 1n);
  });

  test.skipIf(!numpy)('NumPy values without a counterpart are reported by name', async () => {
    const path = await writes(
      'numpy_other.pt',
      `
import numpy as np
torch.save({"names": np.array(["a", "b"]), "complex": np.ones(2, "c8"), "long": np.longdouble(1),
            "objects": np.array([None]), "when": np.datetime64("2020-01-01"), "fine": np.ones(1),
            "fields": np.zeros(2, [("a", "f4")]), "huge": np.array([2**63], "u8")}, sys.argv[1])`,
    );
    const reported: Unreadable[] = [];
    const all = mapIn(await load(path, { onUnreadable: (entry) => reported.push(entry) }));
    expect([...all.keys()]).toEqual(['fine']);
    expect(reported.map(({ name, dtype, shape }) => [name, dtype, shape])).toEqual([
      ['names', 'U1', [2]],
      ['complex', 'complex64', [2]],
      ['long', undefined, undefined],
      ['objects', 'O8', [1]],
      ['when', undefined, undefined],
      ['fields', 'V4', [2]],
      ['huge', 'int64', [1]],
    ]);
  });
});

test('a loaded tensor is a Tensor', async () => {
  expect(mapIn(await load(fixture('checkpoint.pt'))).get('conv.bias')).toBeInstanceOf(Tensor);
});
