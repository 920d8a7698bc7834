// The QR factorisation by reflections: A. Householder, "Unitary triangularization of a nonsymmetric
// matrix", Journal of the ACM 5 (1958), with the signs of LAPACK's dgeqrf and dorgqr.

/** A matrix as its columns. */
export type Columns = readonly Float64Array[];

interface Reflection {
  /** The vector of I − scale · v vᵀ; zero above `from`. */
  readonly v: Float64Array;
  readonly scale: number;
  readonly from: number;
}

/** Q with orthonormal columns, and the diagonal of R, of a matrix with no more columns than rows. */
export function qr(matrix: Columns): { q: Columns; diagonal: Float64Array } {
  const columns = matrix.map((column) => column.slice());
  const diagonal = new Float64Array(columns.length);
  const reflections = columns.map((column, k) => {
    const reflection = reflectionOf(column, k);
    for (const later of columns.slice(k)) reflect(later, reflection);
    diagonal[k] = column[k];
    return reflection;
  });
  const q = columns.map((column, k) => {
    const unit = new Float64Array(column.length);
    unit[k] = 1;
    return unit;
  });
  for (const reflection of reflections.reverse())
    for (const column of q.slice(reflection.from)) reflect(column, reflection);
  return { q, diagonal };
}

/** Makes zeros of what stands below `column[k]`. */
function reflectionOf(column: Float64Array, k: number): Reflection {
  const v = column.slice();
  v.fill(0, 0, k);
  const below = Math.sqrt(v.subarray(k + 1).reduce((sum, x) => sum + x * x, 0));
  if (below === 0) return { v, scale: 0, from: k };
  const head = v[k];
  const target = head > 0 ? -Math.hypot(head, below) : Math.hypot(head, below);
  for (let i = k + 1; i < v.length; i++) v[i] /= head - target;
  v[k] = 1;
  return { v, scale: (target - head) / target, from: k };
}

function reflect(column: Float64Array, { v, scale, from }: Reflection): void {
  let projection = 0;
  for (let i = from; i < v.length; i++) projection += v[i] * column[i];
  projection *= scale;
  for (let i = from; i < v.length; i++) column[i] -= projection * v[i];
}
