// Progress and curves in a terminal; of Node alone.

import { argumentError } from '@voxgrad/core';
import { type Options, SingleBar } from 'cli-progress';
import plot, { type Point } from 'simple-ascii-chart';
import type { History } from './history.js';
import type { Callback } from './options.js';

/**
 * A bar for each epoch, with the loss, and a line for each finished one, on standard error. Prints
 * nothing where that is no terminal. Goes into `callbacks` of `fit`.
 */
export function progressBar(stream: NodeJS.WriteStream = process.stderr): Callback {
  if (!stream.isTTY) return {};
  const options: Options = {
    stream,
    format: 'epoch {epoch}/{epochs} {bar} {value}/{total} · loss {loss} · {eta_formatted} left',
    barsize: 24,
    barCompleteChar: '█',
    barIncompleteChar: '░',
    clearOnComplete: true,
    hideCursor: true,
  };
  let bar: SingleBar | undefined;
  let done = 0;
  const stop = () => {
    bar?.stop();
    bar = undefined;
  };
  return {
    onStep({ epoch, loss }, { epochs, batches }) {
      const payload = { epoch: epoch + 1, epochs, loss: loss.toPrecision(4) };
      if (!bar) {
        done = 0;
        bar = new SingleBar(options);
        bar.start(batches ?? 0, 0, payload);
      }
      bar.update(++done, payload);
    },
    onEpoch({ epoch, loss, metrics, seconds }, { epochs }) {
      stop();
      const found = Object.entries({ 'training loss': loss, ...metrics })
        .map(([name, value]) => `${name} ${value.toPrecision(4)}`)
        .join(' · ');
      stream.write(`epoch ${epoch + 1}/${epochs} · ${found} · ${seconds.toFixed(1)} s\n`);
    },
    onEnd: stop,
  };
}

export interface LossChartOptions {
  /** In characters; 72 by default. */
  width?: number;
  /** In lines; 14 by default. */
  height?: number;
  /** ANSI colours; by default where standard output is a terminal without NO_COLOR. */
  color?: boolean;
}

/** The training loss, and the validation loss where there is one, as text to print. */
export function lossChart(history: History, options: LossChartOptions = {}): string {
  const { width = 72, height = 14 } = options;
  const finite = (points: Point[]) => points.filter(([, y]) => Number.isFinite(y));
  const training = finite(history.steps.map(({ step, loss }): Point => [step, loss]));
  if (training.length === 0) throw argumentError('lossChart: there is no finite loss to draw yet');
  const validation = finite(
    history.epochs.map(({ step, metrics }): Point => [step, metrics.loss ?? Number.NaN]),
  );
  const plain = (process.env.NO_COLOR ?? '') !== '' || !process.stdout.isTTY;
  const both = validation.length > 1;
  return plot(both ? [training, validation] : training, {
    width,
    height,
    ...((options.color ?? !plain) && { color: both ? ['ansiBlue', 'ansiYellow'] : 'ansiBlue' }),
    ...(both && { legend: { position: 'bottom', series: ['training loss', 'validation loss'] } }),
    formatter: (value) => Number(value.toPrecision(3)),
  });
}
