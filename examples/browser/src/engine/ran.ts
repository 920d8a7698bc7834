// Which strategy ran for each layer, and what the others were refused for.

import { type Device, strategies, type TraceEntry } from '@voxgrad/core';
import type { RanLayer } from '../shared/protocol.js';
import type { Chain } from './chain.js';

/** The convolutions of `entries`, equal ones in one row. */
export function ranLayers(
  entries: readonly TraceEntry[],
  chain: Chain,
  device: Device,
): RanLayer[] {
  const names = new Map<object, string>(chain.steps.map(({ name, layer }) => [layer, name]));
  const rows = new Map<string, RanLayer & { times: number }>();
  for (const entry of entries) {
    if (!entry.op.startsWith('conv')) continue;
    const layer = (entry.site && names.get(entry.site)) ?? 'outside of a layer';
    const call = describeCall(entry.call as ConvCall);
    const key = [layer, entry.op, entry.strategy, call].join('|');
    const known = rows.get(key);
    if (known) known.times++;
    else
      rows.set(key, {
        layer,
        pass: entry.op.endsWith('.forward') ? 'forward' : 'backward',
        strategy: entry.strategy,
        device: entry.device,
        call,
        times: 1,
        reasons: entry.reasons,
        considered: strategies
          .explain(entry.op, entry.call as object, device)
          .considered.map(({ name, ok, cost, reasons }) => ({ name, ok, cost, reasons })),
      });
  }
  return [...rows.values()];
}

interface ConvCall {
  readonly input: readonly number[];
  readonly weight: readonly number[];
  readonly dilation: readonly number[];
  readonly groups: number;
}

function describeCall({ input, weight, dilation, groups }: ConvCall): string {
  const parts = [
    `${input[0] > 1 ? `${input[0]} × ` : ''}${input[1]} × ${sizes(input.slice(2))} → ${weight[0]} channels`,
    `kernel ${sizes(weight.slice(2))}`,
  ];
  if (dilation.some((d) => d !== 1)) parts.push(`dilation ${dilation[0]}`);
  if (groups !== 1) parts.push(`${groups} groups`);
  return parts.join(', ');
}

const sizes = ([x, y, z]: readonly number[]): string =>
  x === y && y === z ? `${x}³` : [x, y, z].join(' × ');
