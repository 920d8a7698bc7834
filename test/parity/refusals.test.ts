// Wrong calls: what PyTorch says to them (test/fixtures/operation_errors.json), we say too.

import { describe, expect, it } from 'vitest';
import * as vg from 'voxgrad';
import { readJson } from '../../packages/core/test/fixtures.js';
import { thrownBy } from '../../packages/core/test/support/numbers.js';
import type { Json, JsonObject } from './support/cases.js';
import { CLEARER } from './support/clearer.js';
import { Arguments, callable } from './support/values.js';

interface Refusal {
  readonly kind: 'method' | 'function' | 'module';
  readonly path: string;
  readonly args: readonly Json[];
  readonly options?: JsonObject;
  readonly inputs?: readonly Json[];
  readonly message: string;
}

const rows = readJson<{ errors: Refusal[] }>('operation_errors').errors;

/** Tensors are given by shape or by values: a refusal asks for no more. */
class PlainArguments extends Arguments {
  override value(json: Json): unknown {
    if (Array.isArray(json)) return super.value(json);
    const { zeros, values, dtype } = (json ?? {}) as JsonObject;
    const options = { dtype: (dtype ?? 'float32') as vg.DType };
    if (Array.isArray(zeros)) return vg.zeros(zeros as number[], options);
    if (values !== undefined) return vg.tensor(values as vg.NestedList, options);
    return super.value(json);
  }
}

function call(r: Refusal): unknown {
  const args = new PlainArguments('float32');
  if (r.kind !== 'module') return callable(r)(...args.list(r.args, r.options));
  const module = args.module(r.path, r.args, r.options);
  return (module.call as (...all: unknown[]) => unknown)(...args.list(r.inputs ?? []));
}

/** Without the end of the sentence: ours may go on with more. */
const open = (message: string) => message.replace(/[.)]$/, '');

describe('refusals in the words of PyTorch', () => {
  it.each(
    rows.map((r) => [`${r.path} ${JSON.stringify([r.args, r.options, r.inputs])}`, r] as const),
  )('%s', (_, r) => {
    const error = thrownBy(() => call(r));
    expect(error).toBeInstanceOf(vg.VoxgradError);
    const clearer = CLEARER.find(({ torch }) => r.message === torch);
    const asTorch = error.message.includes(open(r.message));
    if (!asTorch) expect(error.message).toContain(clearer?.ours ?? r.message);
  });

  it('each clearer text stands for a text that PyTorch gives', () => {
    for (const { torch } of CLEARER) expect(rows.map((r) => r.message)).toContain(torch);
  });
});
