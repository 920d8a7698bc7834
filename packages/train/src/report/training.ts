// What a training run looks like: its curves, what it predicts, what takes its time.

import { checkOptions, type OptionTable } from '@voxgrad/core';
import type { History } from '../history.js';
import type { LayerProfile } from '../profile.js';
import { type ConfusionMatrix, classScores, confusionTable } from './confusion.js';
import { layerTable, strategyTable } from './layers.js';
import { lineChart, type Series } from './line-chart.js';
import { html } from './markup.js';
import { type ReportSection, reportPage, reportTable } from './page.js';
import { type ReportVolume, sliceGallery } from './slices.js';

export interface TrainingReport {
  title?: string;
  subtitle?: string;
  /** Of `fit`'s result. */
  history: History;
  /** Of `fit`'s result, with `profile: true`. */
  profile?: LayerProfile;
  volumes?: readonly ReportVolume[];
  confusion?: ConfusionMatrix;
  /** Names of the classes, from class 0 on. */
  classNames?: readonly string[];
}

const OPTIONS: OptionTable<TrainingReport> = {
  title: true,
  subtitle: true,
  history: true,
  profile: true,
  volumes: true,
  confusion: true,
  classNames: true,
};

/** A training run as one self-contained HTML page. */
export async function trainingReport(report: TrainingReport): Promise<string> {
  checkOptions('trainingReport', report, OPTIONS);
  const { history, profile, volumes = [], confusion, classNames } = report;
  const sections: ReportSection[] = [...curves(history)];
  if (volumes.length > 0)
    sections.push({
      title: 'Slices',
      note: 'The middle slice along each axis; class 0 is left clear.',
      body: await sliceGallery(volumes),
    });
  if (confusion)
    sections.push({
      title: 'Confusion',
      note: 'Each row is what became of the elements of one true class.',
      body: confusionTable(confusion, classNames),
    });
  if (profile) {
    sections.push({
      title: 'Time and memory per layer',
      note: 'Of the first step. Blue is the forward, orange the backward; “makes” is what the forward leaves in new memory.',
      body: layerTable(profile),
    });
    sections.push({
      title: 'Strategies',
      note: 'Which one ran each call of the first step, and what spoke for it.',
      body: strategyTable(profile),
    });
  }
  return reportPage({
    title: report.title ?? 'Training report',
    ...(report.subtitle !== undefined && { subtitle: report.subtitle }),
    facts: factsOf(report),
    sections,
  });
}

function curves({ steps, epochs }: History): ReportSection[] {
  const losses: Series = {
    name: 'training loss',
    points: steps.map(({ step, loss }) => [step, loss]),
    smooth: true,
  };
  const metric = (name: string, title = name): Series => ({
    name: title,
    points: epochs.map(({ step, metrics }) => [step, metrics[name] ?? Number.NaN]),
    dots: true,
  });
  const names = [...new Set(epochs.flatMap(({ metrics }) => Object.keys(metrics)))];
  const others = names.filter((name) => name !== 'loss');
  const sections: ReportSection[] = [
    {
      title: 'Loss',
      body: lineChart({
        series: [losses, ...(names.includes('loss') ? [metric('loss', 'validation loss')] : [])],
        xLabel: 'step',
      }),
    },
  ];
  if (others.length > 0)
    sections.push({
      title: 'Metrics',
      note: 'Of validation, after each epoch.',
      body: lineChart({ series: others.map((name) => metric(name)), xLabel: 'step' }),
    });
  sections.push({
    title: 'Gradient norm and learning rate',
    body: html`${lineChart({
      series: [
        { name: 'gradient norm', points: steps.map((s) => [s.step, s.gradNorm]), smooth: true },
      ],
      xLabel: 'step',
    })}<br>${lineChart({
      series: [{ name: 'learning rate', points: steps.map((s) => [s.step, s.lr]) }],
      xLabel: 'step',
    })}`,
  });
  if (epochs.length > 0)
    sections.push({
      title: 'Epochs',
      body: html`<details${epochs.length <= 12 && html` open`}><summary>${epochs.length} epochs</summary>${reportTable(
        ['epoch', 'steps', 'training loss', ...names, 'seconds'].map((title) => ({
          title,
          numeric: true,
        })),
        epochs.map(({ epoch, step, loss, metrics, seconds }) => [
          epoch,
          step,
          short(loss),
          ...names.map((name) => (metrics[name] === undefined ? '' : short(metrics[name]))),
          seconds.toFixed(1),
        ]),
      )}</details>`,
    });
  return sections;
}

function factsOf({ history, confusion, profile }: TrainingReport): Record<string, string> {
  const { steps, epochs } = history;
  const last = epochs.at(-1);
  const dices = confusion ? classScores(confusion).slice(1) : [];
  const dice = dices.filter((score) => !Number.isNaN(score.dice));
  return {
    epochs: String(epochs.length),
    steps: steps.length.toLocaleString('en-US'),
    ...(last && { 'training loss': short(last.loss) }),
    ...(last?.metrics.loss !== undefined && { 'validation loss': short(last.metrics.loss) }),
    ...(dice.length > 0 && {
      'mean Dice': (dice.reduce((sum, score) => sum + score.dice, 0) / dice.length).toFixed(3),
    }),
    ...(profile && { 'first step': `${profile.totalMs.toFixed(0)} ms` }),
  };
}

const short = (value: number): string => String(Number(value.toPrecision(4)));
