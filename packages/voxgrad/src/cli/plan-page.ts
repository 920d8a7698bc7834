// A plan as a page: a row for each layer, and below what refuses those that do not run natively.

import type { LayerPlan, Plan } from '@voxgrad/npu';
import { html, type ReportPage, reportTable } from '@voxgrad/train';
import { formatBytes } from './format.js';

export function planPage({
  device,
  cann,
  torchNpu,
  assumedTorchNpu,
  layers,
  totals,
}: Plan): ReportPage {
  const refused = layers.filter(({ native }) => !native.ok);
  return {
    title: `Convolutions on ${device}`,
    subtitle: `CANN ${cann}, torch_npu ${torchNpu ?? `${assumedTorchNpu ?? 'unknown'} (assumed)`}`,
    facts: {
      layers: String(totals.layers),
      refused: String(totals.refused),
      'kept for the backward': formatBytes(totals.savedBytes),
      'largest layer': formatBytes(totals.largestBytes),
    },
    sections: [
      {
        title: 'Layers',
        body: reportTable(
          [
            'layer',
            'convolution',
            'native backward',
            'forward runs by',
            'backward runs by',
            { title: 'memory', numeric: true },
          ],
          layers.map(({ name, conv, native, forward, strategy, memoryBytes }) => [
            name,
            conv,
            html`<span class="${native.ok ? 'good' : 'bad'}">${native.ok ? 'runs' : 'refused'}</span>`,
            forward.strategy ?? 'nothing',
            strategy ?? 'nothing',
            formatBytes(memoryBytes),
          ]),
        ),
      },
      ...refused.map((layer) => ({
        title: `${layer.name}: what refuses it`,
        note: layer.native.why,
        body: refusals(layer),
      })),
    ],
  };
}

const refusals = ({ native }: LayerPlan) =>
  reportTable(
    ['pass', 'check', 'what the user sees', 'source'],
    native.checks
      .filter(({ ok }) => !ok)
      .map(({ pass, check, code, text, source }) => [
        pass,
        check,
        [code, text].filter((part) => part !== undefined).join(': '),
        source,
      ]),
  );
