// What is saved, as PyTorch and NumPy read it, and safetensors as its description has it.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  arange,
  DTYPES,
  type DType,
  ones,
  StateDict,
  type Tensor,
  tensor,
  zeros,
} from '@voxgrad/core';
import { Parameter } from '@voxgrad/nn';
import { afterAll, describe, expect, test } from 'vitest';
import { inspect, load, loadStateDict, save } from '../src/index.js';
import { expectFailure, mapIn, python, runPython, stopPython, tensorIn } from './support.js';

const folder = mkdtempSync(join(tmpdir(), 'voxgrad-'));
afterAll(() => {
  rmSync(folder, { recursive: true });
  stopPython();
});
const file = (name: string): string => join(folder, name);

/** Small values of every dtype, exact in all of them: 0, 1, 2, 0, 1, 2. */
const values = (dtype: DType): Tensor =>
  (dtype === 'bool'
    ? tensor([false, true, true, false, true, true])
    : tensor([0, 1, 2, 0, 1, 2]).to(dtype)
  ).reshape([2, 3]);

/** Layouts of a tensor that a file may hold. */
const layouts = (x: Tensor): [string, Tensor][] => [
  ['row-major', x],
  ['transposed', x.transpose(0, 1)],
  ['sliced', x.narrow(1, 1, 2)],
  ['expanded', x.narrow(1, 1, 1).expand([2, 4])],
  ['0-d', x.reshape([6]).narrow(0, 4, 1).reshape([])],
  ['empty', x.narrow(0, 0, 0)],
  ['unit axes', x.reshape([1, 2, 1, 3, 1])],
];

const everything = (dtypes: readonly DType[] = DTYPES): [string, Tensor][] =>
  dtypes.flatMap((dtype) =>
    layouts(values(dtype)).map(([name, x]): [string, Tensor] => [`${dtype} ${name}`, x]),
  );

describe.skipIf(python === undefined)('torch.load with weights_only', () => {
  const EXPECTED = `
import sys, torch
def expected(dtype):
    x = torch.tensor([0, 1, 2, 0, 1, 2]).to(dtype).reshape(2, 3)
    return {"row-major": x, "transposed": x.t(), "sliced": x[:, 1:], "expanded": x[:, 1:2].expand(2, 4),
            "0-d": x.reshape(6)[4], "empty": x[:0], "unit axes": x.reshape(1, 2, 1, 3, 1)}
def check(loaded, exact):
    for name, y in loaded.items():
        dtype, layout = name.split(" ", 1)
        x = expected(getattr(torch, dtype))[layout]
        assert x.dtype == y.dtype and x.shape == y.shape and torch.equal(x, y), (name, x, y)
        assert not exact or (x.stride(), x.storage_offset()) == (y.stride(), y.storage_offset()), (name, x.stride(), y.stride())
    print(len(loaded))
`;

  test.each([false, true])('takes every dtype and layout; compact: %s', async (compact) => {
    await save(new StateDict(everything()), file('all.pt'), { compact });
    const script = `${EXPECTED}
check(torch.load(sys.argv[1], weights_only=True), ${compact ? 'False' : 'True'})`;
    expect(await runPython(script, file('all.pt'))).toBe('70\n');
  });

  test('takes parameters, tied weights and views that share', async () => {
    const w = new Parameter(ones([2, 3]));
    const frozen = new Parameter(ones([2]), { requiresGrad: false });
    const base = arange(100, { dtype: 'float32' });
    const value = { w, tied: w, frozen, a: base.narrow(0, 10, 20), b: base.narrow(0, 25, 10) };
    for (const compact of [false, true]) {
      await save(value, file('shared.pt'), { compact });
      const script = `
import sys, torch
x = torch.load(sys.argv[1], weights_only=True)
assert type(x["w"]) is torch.nn.Parameter and x["w"].requires_grad and x["tied"] is x["w"]
assert type(x["frozen"]) is torch.nn.Parameter and not x["frozen"].requires_grad
x["a"][15] = -1
print(x["b"].tolist(), x["a"].storage().size())`;
      expect(await runPython(script, file('shared.pt'))).toBe(
        `[-1.0, 26.0, 27.0, 28.0, 29.0, 30.0, 31.0, 32.0, 33.0, 34.0] ${compact ? 25 : 100}\n`,
      );
    }
  });

  test('takes int64 beyond the integers of a number, and bits of any float', async () => {
    const exact = [2n ** 63n - 1n, -(2n ** 63n), 2n ** 53n + 1n];
    const floats = [Number.NaN, Number.POSITIVE_INFINITY, -0, 1e-45, 3.4028234663852886e38];
    await save({ i: tensor(exact, { dtype: 'int64' }), f: tensor(floats) }, file('exact.pt'));
    const script = `
import sys, torch
x = torch.load(sys.argv[1], weights_only=True)
print(x["i"].tolist(), x["f"].view(torch.int32).tolist())`;
    expect(await runPython(script, file('exact.pt'))).toBe(
      '[9223372036854775807, -9223372036854775808, 9007199254740993] ' +
        '[2143289344, 2139095040, -2147483648, 1, 2139095039]\n',
    );
  });
});

describe('npz', () => {
  const KNOWN = DTYPES.filter((dtype) => dtype !== 'bfloat16');

  test.skipIf(python === undefined)('numpy.load reads it, without pickle', async () => {
    await save(new Map(everything(KNOWN)), file('all.npz'));
    const script = `
import sys, numpy as np
z = np.load(sys.argv[1], allow_pickle=False)
for name in z.files:
    dtype, layout = name.split(" ", 1)
    x = np.array([0, 1, 2, 0, 1, 2]).astype(dtype).reshape(2, 3)
    x = {"row-major": x, "transposed": x.T, "sliced": x[:, 1:], "expanded": np.broadcast_to(x[:, 1:2], (2, 4)),
         "0-d": x.reshape(6)[4], "empty": x[:0], "unit axes": x.reshape(1, 2, 1, 3, 1)}[layout]
    y = z[name]
    assert x.dtype == y.dtype and x.shape == y.shape and np.array_equal(x, y), (name, x, y)
print(len(z.files))`;
    expect(await runPython(script, file('all.npz'))).toBe('63\n');
  });

  test('comes back, with names as keys', async () => {
    const named = new Map([...everything(KNOWN), ['a/b.weight', ones([2])], ['', ones([])]]);
    const back = await loadStateDict(await save(named, undefined, { format: 'npz' }));
    expect([...back.keys()]).toEqual([...named.keys()]);
    for (const [name, x] of named) expect(back.get(name)?.tolist(), name).toEqual(x.tolist());
  });

  test('is chosen by the name of the file', async () => {
    await save({ w: ones([1]) }, file('named.NPZ'));
    expect((await inspect(file('named.NPZ'))).format).toBe('npz');
  });

  test('has no bfloat16, which is said by name', async () => {
    const value = { fine: ones([1]), w: ones([1]).to('bfloat16') };
    const saving = save(value, undefined, { format: 'npz' });
    await expectFailure(saving, 'VALUE', /\["w"\]: is of bfloat16, which NumPy.*to\('float32'\)/);
  });

  test.each<[string, unknown, RegExp]>([
    ['a bare tensor', ones([1]), /npz holds named tensors: save a Map/],
    ['a list', [ones([1])], /save a Map/],
    ['a number inside', { a: ones([1]), n: 3 }, /\["n"\]: is not a tensor, and npz holds nothing/],
    ['half a character', { '\ud800': ones([1]) }, /is no name of a tensor in npz/],
  ])('%s is refused', async (_, value, message) => {
    await expectFailure(save(value, undefined, { format: 'npz' }), 'VALUE', message);
  });
});

describe('safetensors', () => {
  const saved = (value: unknown, metadata?: Record<string, string>) =>
    save(value, undefined, { format: 'safetensors', ...(metadata && { metadata }) });
  const headerOf = (bytes: Uint8Array): string => {
    const length = Number(new DataView(bytes.buffer).getBigUint64(0, true));
    return new TextDecoder().decode(bytes.subarray(8, 8 + length));
  };

  test('keeps texts beside the tensors', async () => {
    const bytes = await saved({ w: ones([1]) }, { format: 'pt', note: 'ü "x"' });
    expect((await inspect(bytes)).metadata).toEqual({ format: 'pt', note: 'ü "x"' });
    expect(JSON.parse(headerOf(bytes)).__metadata__.format).toBe('pt');
  });

  // safetensors/safetensors#601
  test('keeps texts alone', async () => {
    const bytes = await saved({}, { a: 'b' });
    expect(mapIn(await load(bytes)).size).toBe(0);
    expect((await inspect(bytes)).metadata).toEqual({ a: 'b' });
  });

  // The declaration order of `Dtype` in safetensors/src/tensor.rs, backwards.
  test('orders by dtype as the reference does, then by the bytes of the name', async () => {
    const named = DTYPES.map((dtype): [string, Tensor] => [dtype, values(dtype)]);
    const bytes = await saved(new Map([...named, ['\uffff', zeros([1])], ['𝄞', zeros([1])]]));
    expect(Object.keys(JSON.parse(headerOf(bytes)))).toEqual([
      ...['int64', 'float64', 'float32', '\uffff', '𝄞', 'int32'],
      ...['bfloat16', 'float16', 'int16', 'int8', 'uint8', 'bool'],
    ]);
  });

  test('writes shared tensors once for each name', async () => {
    const w = ones([8]);
    const bytes = await saved({ w, tied: w, part: w.narrow(0, 0, 2) });
    const { tensors } = await inspect(bytes);
    expect(tensors.map(({ name, bytes: [a, b] = [0, 0] }) => [name, b - a])).toEqual([
      ['part', 8],
      ['tied', 32],
      ['w', 32],
    ]);
  });

  // safetensors/safetensors#668: the writer must refuse what the reader would.
  test('has a limit to its header', async () => {
    const names = Array.from({ length: 101 }, (_, i) => [`${i}${'n'.repeat(1e6)}`, zeros([0])]);
    await expectFailure(saved(Object.fromEntries(names)), 'LIMIT', /safetensors allows 100000000/);
  });

  test('metadata that is no text is refused', async () => {
    const wrong = { version: 2 } as unknown as Record<string, string>;
    await expectFailure(saved({}, wrong), 'VALUE', /that of "version" is none; JSON.stringify/);
  });

  test('every dtype and layout comes back', async () => {
    const named = new Map(everything());
    const back = mapIn(await load(await saved(named)));
    for (const [name, x] of named) {
      const y = tensorIn(back.get(name));
      expect([y.dtype, y.shape, y.tolist()], name).toEqual([x.dtype, x.shape, x.tolist()]);
    }
  });
});
