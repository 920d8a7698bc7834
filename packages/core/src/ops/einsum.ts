// Einstein's summation: operands are permuted and multiplied, two at a time, as batches of matrices.
//
// 1. Parse the equation: one list of labels per operand (`...` becomes labels of its own), and the
//    labels of the result.
// 2. Bring each operand to distinct labels: a label that is repeated means a diagonal.
// 3. Contract from left to right. For a pair, a label is a batch (kept, in both), a row (only in
//    the left), a column (only in the right) or summed (needed by nothing that follows).
// 4. Sum what is left over, and order the dims of the result.

import { requireTensorList } from '../arguments.js';
import { argumentError, shapeError } from '../errors.js';
import { describe, numelOf } from '../tensor/shape.js';
import type { Tensor } from '../tensor/tensor.js';
import { diagonal } from './diagonal.js';
import { bmm } from './matmul.js';
import { commonDevice } from './operands.js';
import { sum } from './reduce.js';
import { expand, permute, reshape } from './views.js';

type Labels = readonly string[];

/** A tensor with one distinct label per dim. */
interface Term {
  readonly x: Tensor;
  readonly labels: Labels;
}

const ELLIPSIS = '...';

/** The labels of one side of a comma; `...` is one of them. */
function parse(text: string): string[] {
  const labels: string[] = [];
  for (let at = 0; at < text.length; at++) {
    if (text.startsWith(ELLIPSIS, at)) {
      if (labels.includes(ELLIPSIS))
        throw argumentError(`einsum(): found more than one '...' in '${text}'`);
      labels.push(ELLIPSIS);
      at += 2;
    } else if (/[a-zA-Z]/.test(text[at])) labels.push(text[at]);
    else
      throw argumentError(
        `einsum(): invalid subscript '${text[at]}' in '${text}', subscripts must be in [a-zA-Z]`,
      );
  }
  return labels;
}

/** Labels for the dims of an ellipsis, counted from the last. */
const ellipsisLabels = (count: number): string[] =>
  Array.from({ length: count }, (_, i) => `…${count - i}`);

function expandEllipsis(labels: Labels, x: Tensor, operand: number): string[] {
  const named = labels.filter((label) => label !== ELLIPSIS).length;
  const open = labels.includes(ELLIPSIS);
  if (open ? named > x.ndim : named !== x.ndim)
    throw shapeError(
      `einsum(): the number of subscripts in the equation (${named}) ` +
        `${open ? 'is more than' : 'does not match'} the number of dimensions (${x.ndim}) for operand ` +
        `${operand}${open ? '' : ' and no ellipsis was given'}`,
    );
  return labels.flatMap((label) => (label === ELLIPSIS ? ellipsisLabels(x.ndim - named) : [label]));
}

/** Repeated labels become diagonals. */
function distinct(x: Tensor, labels: Labels, operand: number): Term {
  const second = labels.findIndex((label, i) => labels.indexOf(label) < i);
  if (second < 0) return { x, labels };
  const first = labels.indexOf(labels[second]);
  if (x.shape[first] !== x.shape[second])
    throw shapeError(
      `einsum(): subscript ${labels[second]} is repeated for operand ${operand} but the sizes don't match, ` +
        `${x.shape[second]} != ${x.shape[first]}`,
    );
  const rest = labels.filter((_, i) => i !== first && i !== second);
  return distinct(diagonal(x, 0, first, second), [...rest, labels[second]], operand);
}

/** Letters that occur once, in alphabetical order (capitals first), behind the ellipsis. */
function implicitOutput(inputs: readonly Labels[]): string[] {
  const all = inputs.flat();
  const once = all.filter(
    (label) => label !== ELLIPSIS && all.indexOf(label) === all.lastIndexOf(label),
  );
  return [...(all.includes(ELLIPSIS) ? [ELLIPSIS] : []), ...once.sort()];
}

/** x with its dims in the order of `labels`; labels that it lacks get size 1. */
function arranged({ x, labels: own }: Term, labels: Labels): Tensor {
  const present = labels.filter((label) => own.includes(label));
  const y = permute(
    x,
    present.map((label) => own.indexOf(label)),
  );
  return reshape(
    y,
    labels.map((label) => (own.includes(label) ? x.shape[own.indexOf(label)] : 1)),
  );
}

function sumOut({ x, labels }: Term, needed: ReadonlySet<string>): Term {
  const gone = labels.flatMap((label, axis) => (needed.has(label) ? [] : [axis]));
  if (gone.length === 0) return { x, labels };
  return {
    x: sum(x, gone, { dtype: x.dtype }),
    labels: labels.filter((label) => needed.has(label)),
  };
}

/** The product of two terms, summed over every label that nothing else needs. */
function contract(a: Term, b: Term, needed: ReadonlySet<string>): Term {
  // A size of 1 broadcasts: where only the other operand varies, that one has the label alone.
  const wide = new Set(
    [a, b].flatMap(({ x, labels }) => labels.filter((_, axis) => x.shape[axis] !== 1)),
  );
  const varies = ({ x, labels }: Term, label: string) => {
    const axis = labels.indexOf(label);
    return axis >= 0 && (x.shape[axis] !== 1 || !wide.has(label));
  };
  const all = [...new Set([...a.labels, ...b.labels])];
  const [inA, inB] = [all.filter((l) => varies(a, l)), all.filter((l) => varies(b, l))];
  const both = inA.filter((label) => inB.includes(label));
  const batch = both.filter((label) => needed.has(label));
  const summed = both.filter((label) => !needed.has(label));
  const only = (mine: Labels) => mine.filter((label) => !both.includes(label));
  const left = sumOut(squeezed(a, inA), new Set([...needed, ...both]));
  const right = sumOut(squeezed(b, inB), new Set([...needed, ...both]));
  const [rows, columns] = [only(left.labels), only(right.labels)];
  const size = (term: Term, labels: Labels) =>
    numelOf(labels.map((label) => term.x.shape[term.labels.indexOf(label)]));
  const product = bmm(
    reshape(arranged(left, [...batch, ...rows, ...summed]), [
      size(left, batch),
      size(left, rows),
      size(left, summed),
    ]),
    reshape(arranged(right, [...batch, ...summed, ...columns]), [
      size(right, batch),
      size(right, summed),
      size(right, columns),
    ]),
  );
  const labels = [...batch, ...rows, ...columns];
  const shape = labels.map((label) => {
    const term = left.labels.includes(label) ? left : right;
    return term.x.shape[term.labels.indexOf(label)];
  });
  return { x: reshape(product, shape), labels };
}

/** Only the dims named by `labels`; the others have size 1. */
function squeezed({ x, labels: own }: Term, labels: Labels): Term {
  const kept = own.filter((label) => labels.includes(label));
  return {
    x: reshape(
      x,
      kept.map((label) => x.shape[own.indexOf(label)]),
    ),
    labels: kept,
  };
}

function checkSizes(terms: readonly Term[]): Map<string, number> {
  const sizes = new Map<string, number>();
  terms.forEach(({ x, labels }, operand) => {
    labels.forEach((label, axis) => {
      const [known, size] = [sizes.get(label) ?? 1, x.shape[axis]];
      if (known !== 1 && size !== 1 && size !== known)
        throw shapeError(
          `einsum(): subscript ${label} has size ${size} for operand ${operand} which does not broadcast with ` +
            `previously seen size ${known}`,
        );
      sizes.set(label, size === 1 ? known : size);
    });
  });
  return sizes;
}

/**
 * Sums of products by labels: `einsum('bhid,bhjd->bhij', q, k)`. A label that the result lacks is
 * summed over; without `->` the result has the labels that occur once, in alphabetical order; `...`
 * stands for dims that broadcast.
 */
export function einsum(equation: string, ...operands: Tensor[] | [readonly Tensor[]]): Tensor {
  const tensors = operands.flat();
  requireTensorList('einsum', 'operands', tensors);
  if (typeof equation !== 'string')
    throw argumentError(`einsum(): expected the equation as text, but got ${describe(equation)}`);
  const [left, right, ...more] = equation.replaceAll(' ', '').split('->');
  if (more.length > 0) throw argumentError(`einsum(): more than one '->' in '${equation}'`);
  const inputs = left.split(',').map(parse);
  if (inputs.length !== tensors.length)
    throw argumentError(
      `einsum(): the equation has ${inputs.length} operands, but ${tensors.length} were given`,
    );
  commonDevice('einsum', tensors);
  const terms = inputs.map((labels, i) =>
    distinct(tensors[i], expandEllipsis(labels, tensors[i], i), i),
  );
  const sizes = checkSizes(terms);
  const widest = Math.max(
    0,
    ...[...sizes.keys()].map((l) => (l[0] === '…' ? Number(l.slice(1)) : 0)),
  );
  const output = (right === undefined ? implicitOutput(inputs) : parse(right)).flatMap((label) =>
    label === ELLIPSIS ? ellipsisLabels(widest) : [label],
  );
  output.forEach((label, i) => {
    if (output.indexOf(label) < i)
      throw argumentError(
        `einsum(): output subscript ${label} appears more than once in the output`,
      );
    if (!sizes.has(label))
      throw argumentError(
        `einsum(): output subscript ${label} does not appear in the equation for any input operand`,
      );
  });
  let [term, ...rest] = terms;
  while (rest.length > 0) {
    const [next, ...others] = rest;
    term = contract(term, next, new Set([...output, ...others.flatMap(({ labels }) => labels)]));
    rest = others;
  }
  const y = arranged(sumOut(term, new Set(output)), output);
  return expand(
    y,
    output.map((label) => sizes.get(label) ?? 1),
  );
}
