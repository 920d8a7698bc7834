// How often each class was taken for each other one.

import {
  argumentError,
  bincount,
  describe,
  formatShape,
  noGrad,
  sameShape,
  type Tensor,
} from '@voxgrad/core';
import { html, type Markup } from './markup.js';
import { reportTable } from './page.js';

/** `counts[t][p]`: elements of class t that were predicted as p. */
export type ConfusionMatrix = readonly (readonly number[])[];

/**
 * Counts classes against predictions, tensors of whole numbers below `classes`; labels outside of that
 * (such as −100) are left out. Matrices of several batches are added with `plus`.
 */
export async function confusionMatrix(
  prediction: Tensor,
  target: Tensor,
  options: { classes: number; plus?: ConfusionMatrix },
): Promise<ConfusionMatrix> {
  const { classes, plus } = options;
  if (!(Number.isInteger(classes) && classes > 0))
    throw argumentError(`confusionMatrix: how many classes? Got ${describe(classes)}`);
  if (!sameShape(prediction.shape, target.shape))
    throw argumentError(
      `confusionMatrix: the prediction has shape ${formatShape(prediction.shape)}, and the target ` +
        `${formatShape(target.shape)}; both hold class numbers (take argmax(1) of logits)`,
    );
  const [p, t] = [prediction, target].map((x) => x.detach().to('int64').reshape([-1]));
  const counts = await noGrad(() => {
    const known = t.ge(0).logicalAnd(t.lt(classes)).logicalAnd(p.ge(0)).logicalAnd(p.lt(classes));
    return bincount(t.mul(classes).add(p).maskedSelect(known), { minlength: classes ** 2 });
  }).data();
  return Array.from({ length: classes }, (_, row) =>
    Array.from(
      { length: classes },
      (_, column) => Number(counts[row * classes + column]) + (plus?.[row]?.[column] ?? 0),
    ),
  );
}

export interface ClassScores {
  /** 2·|A∩B| / (|A| + |B|); NaN where the class is neither there nor predicted. */
  readonly dice: number;
  /** |A∩B| / |A∪B| */
  readonly iou: number;
  /** Elements of the class. */
  readonly support: number;
}

/** Dice and intersection over union of each class. */
export const classScores = (matrix: ConfusionMatrix): ClassScores[] =>
  matrix.map((row, k) => {
    const support = row.reduce((a, b) => a + b, 0);
    const predicted = matrix.reduce((total, other) => total + other[k], 0);
    const both = row[k];
    return {
      dice: (2 * both) / (support + predicted),
      iou: both / (support + predicted - both),
      support,
    };
  });

/** The matrix as shares of each true class, and the scores of each. */
export function confusionTable(matrix: ConfusionMatrix, names?: readonly string[]): Markup {
  const nameOf = (k: number) => names?.[k] ?? String(k);
  const scores = classScores(matrix);
  const cell = (count: number, row: number) => {
    const share = scores[row].support > 0 ? count / scores[row].support : 0;
    return html`<td class="cell" style="background: rgba(var(--heat), ${(0.06 + 0.6 * share).toFixed(3)})" title="${count.toLocaleString('en-US')} elements">${(100 * share).toFixed(1)} %</td>`;
  };
  const grid = html`<div class="scroll"><table class="confusion"><thead><tr><th>true \\ predicted</th>${matrix.map(
    (_, k) => html`<th class="number">${nameOf(k)}</th>`,
  )}</tr></thead><tbody>${matrix.map(
    (row, t) => html`<tr><td>${nameOf(t)}</td>${row.map((count) => cell(count, t))}</tr>`,
  )}</tbody></table></div>`;
  const table = reportTable(
    ['class', ...['Dice', 'IoU', 'elements'].map((title) => ({ title, numeric: true }))],
    scores.map(({ dice, iou, support }, k) => [
      nameOf(k),
      ...[dice, iou].map((score) => (Number.isNaN(score) ? '–' : score.toFixed(4))),
      support.toLocaleString('en-US'),
    ]),
  );
  return html`${grid}<h3>Overlap of each class</h3>${table}`;
}
