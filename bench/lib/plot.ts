// How many times faster than each peer, as a plot: a bar for each case and peer on a logarithmic axis.

import type { ContestRow } from '../../packages/voxgrad/src/bench/compare/contest.js';
import { peerPackage } from '../peers/install.js';

/** The part of echarts that is used. */
interface Echarts {
  init(
    element: null,
    theme: null,
    options: { renderer: 'svg'; ssr: true; width: number; height: number },
  ): {
    setOption(option: object): void;
    renderToSVGString(): string;
    dispose(): void;
  };
}

const BAR = 9;

/** An SVG document, or null where the library is not installed. */
export async function plot(suite: string, rows: readonly ContestRow[]): Promise<string | null> {
  const echarts = await peerPackage<Echarts>('echarts', 'cjs');
  if (!echarts) return null;
  const peers = [...new Set(rows.flatMap((row) => Object.keys(row.peers)))].filter((peer) =>
    rows.some((row) => (row.peers[peer]?.speedup ?? null) !== null),
  );
  const labels = rows.map(
    ({ name, pass, precision, threads }) =>
      `${name} · ${pass === 'train' ? 'fwd+bwd' : 'fwd'} · ${precision} · ${threads}T`,
  );
  const height = 90 + rows.length * (peers.length * BAR + 8);
  const chart = echarts.init(null, null, { renderer: 'svg', ssr: true, width: 1000, height });
  chart.setOption({
    animation: false,
    title: { text: `${suite}: a peer's time over voxgrad's`, textStyle: { fontSize: 14 } },
    legend: { top: 24, data: peers },
    grid: { left: 330, right: 60, top: 56, bottom: 30 },
    xAxis: { type: 'log', min: 0.1, axisLabel: { formatter: '{value}×' } },
    yAxis: { type: 'category', data: labels, inverse: true, axisLabel: { fontSize: 10 } },
    series: peers.map((peer) => ({
      name: peer,
      type: 'bar',
      barWidth: BAR - 2,
      data: rows.map((row) => {
        const speedup = row.peers[peer]?.speedup ?? null;
        return speedup === null ? '-' : Number(speedup.toPrecision(3));
      }),
      label: { show: true, position: 'right', fontSize: 9, formatter: '{c}' },
      markLine: {
        silent: true,
        symbol: 'none',
        lineStyle: { color: '#888', type: 'solid' },
        label: { show: false },
        data: [{ xAxis: 1 }],
      },
    })),
  });
  const svg = chart.renderToSVGString();
  chart.dispose();
  return svg;
}
