import { argumentError, cat, describe, enableGrad, noGrad, Tensor } from '@voxgrad/core';
import type { ParamGroupInput, Params } from './groups.js';
import { strongWolfe } from './line-search.js';
import { keepState, numberOf, Optimizer, type ParamState } from './optimizer.js';
import { checkCommonOptions, withDefaults } from './options.js';

/** Options of {@link LBFGS}. */
export interface LBFGSOptions {
  lr: number;
  /** Iterations per `step`. */
  maxIter: number;
  /** Evaluations of the closure per `step`; 1.25·maxIter where null. */
  maxEval: number | null;
  toleranceGrad: number;
  toleranceChange: number;
  historySize: number;
  lineSearchFn: 'strong_wolfe' | null;
}

/** The last steps s, the changes y of the gradient over them, 1 / yᵀs, and the scale of H₀. */
interface Memory {
  y: Tensor[];
  s: Tensor[];
  ro: number[];
  scale: number;
}

/**
 * Limited-memory BFGS (Nocedal, Math. Comp. 35, 1980; Liu and Nocedal, Math. Programming 45, 1989),
 * for full batches. `step` takes a closure that clears the gradients, computes the loss, calls
 * backward and returns the loss; it is evaluated many times. Decisions depend on values, so the
 * device must be readable synchronously.
 */
export class LBFGS extends Optimizer<LBFGSOptions> {
  protected override readonly stateRules = {
    flat: true,
    tensorScalars: { ro: 'parameter', H_diag: 'parameter' },
    scalars: ['func_evals', 'n_iter', 't', 'prev_loss', 'al'],
    required: ['func_evals', 'n_iter'],
  } as const;

  constructor(params: Params<LBFGSOptions>, options?: Partial<LBFGSOptions>) {
    const defaults: LBFGSOptions = {
      lr: 1,
      maxIter: 20,
      maxEval: null,
      toleranceGrad: 1e-7,
      toleranceChange: 1e-9,
      historySize: 100,
      lineSearchFn: null,
    };
    const chosen = withDefaults('LBFGS', defaults, options);
    super(params, {
      ...chosen,
      maxEval: chosen.maxEval ?? Math.floor((chosen.maxIter * 5) / 4),
    });
  }

  protected override checkOptions(o: LBFGSOptions): void {
    checkCommonOptions(o);
    if (o.lineSearchFn !== null && o.lineSearchFn !== 'strong_wolfe')
      throw argumentError(`only 'strong_wolfe' is supported, but got ${describe(o.lineSearchFn)}`);
  }

  override addParamGroup(input: ParamGroupInput<LBFGSOptions>): void {
    if (this.paramGroups.length > 0)
      throw argumentError("LBFGS doesn't support per-parameter options (parameter groups)");
    super.addParamGroup(input);
  }

  /** Up to `maxIter` iterations; returns the loss before them. */
  override step(closure?: undefined): null;
  override step<T>(closure: () => T): T;
  override step<T>(closure?: () => T): T | null {
    if (closure === undefined)
      throw argumentError('LBFGS.step() needs a closure that computes the loss and its gradients');
    this.stepCount++;
    const result = noGrad(() => this.#iterate(closure));
    for (const state of this.state.values()) keepState(state);
    return result;
  }

  #iterate<T>(closure: () => T): T {
    const [group] = this.paramGroups;
    const { params, lr } = group;
    const round = params[0].dtype === 'float32' ? Math.fround : (x: number) => x;
    const state = this.state.get(params[0]) ?? {};
    this.state.set(params[0], state);
    const count = (key: string, by: number) => {
      state[key] = numberOf(state, key, 0) + by;
    };
    const evaluate = () => numberFrom(enableGrad(closure));

    const first = enableGrad(closure);
    let f = numberFrom(first);
    let g = flatGradient(params);
    let evaluations = 1;
    count('func_evals', 1);
    count('n_iter', 0);
    if (largest(g) <= group.toleranceGrad) return first;

    const memory = memoryOf(state);
    let d = state.d instanceof Tensor ? state.d : undefined;
    let t = numberOf(state, 't', lr);
    let previous = state.prev_flat_grad instanceof Tensor ? state.prev_flat_grad : undefined;
    let previousLoss = numberOf(state, 'prev_loss', f);
    for (let i = 1; i <= group.maxIter; i++) {
      count('n_iter', 1);
      const isFirst = state.n_iter === 1 || d === undefined || previous === undefined;
      if (d === undefined || previous === undefined || isFirst) d = g.neg();
      else {
        remember(memory, g.sub(previous), d.mul(t), group.historySize, round);
        d = newDirection(memory, g, round);
      }
      previous = g;
      previousLoss = f;
      // The first direction has no scale yet: a step of length 1 in the 1-norm at most.
      t = isFirst ? Math.min(1, round(1 / g.abs().sum().item())) * lr : lr;
      const slope = g.dot(d).item();
      if (slope > -group.toleranceChange) break;

      let used = 0;
      if (group.lineSearchFn === 'strong_wolfe') {
        const origin = params.map((p) => p.clone());
        const direction = d;
        const found = strongWolfe({
          evaluate: (length) => {
            move(params, direction, length);
            const loss = evaluate();
            const gradient = flatGradient(params);
            params.forEach((p, k) => {
              p.copy_(origin[k]);
            });
            return { f: loss, g: gradient };
          },
          start: { t: 0, f, g, slope },
          direction,
          firstStep: t,
          toleranceChange: group.toleranceChange,
        });
        ({ f, g, t } = found);
        used = found.evaluations;
        move(params, d, t);
      } else {
        move(params, d, t);
        if (i < group.maxIter) {
          f = evaluate();
          g = flatGradient(params);
          used = 1;
        }
      }
      evaluations += used;
      count('func_evals', used);

      if (evaluations >= (group.maxEval ?? Number.POSITIVE_INFINITY)) break;
      if (largest(g) <= group.toleranceGrad) break;
      if (largest(d.mul(t)) <= group.toleranceChange) break;
      if (Math.abs(f - previousLoss) < group.toleranceChange) break;
    }
    delete state.al; // scratch of PyTorch's two-loop recursion, filled anew in every iteration
    Object.assign(state, {
      d,
      t,
      old_dirs: memory.y,
      old_stps: memory.s,
      ro: memory.ro,
      H_diag: memory.scale,
      prev_flat_grad: previous,
      prev_loss: previousLoss,
    });
    return first;
  }
}

function memoryOf(state: ParamState): Memory {
  const tensors = (key: string) =>
    Array.isArray(state[key])
      ? state[key].filter((item): item is Tensor => item instanceof Tensor)
      : [];
  const ro = Array.isArray(state.ro) ? state.ro.map(Number) : [];
  return {
    y: tensors('old_dirs'),
    s: tensors('old_stps'),
    ro,
    scale: numberOf(state, 'H_diag', 1),
  };
}

type Round = (x: number) => number;

/** Adds a pair, unless its curvature is not positive; H₀ = yᵀs / yᵀy. */
function remember(memory: Memory, y: Tensor, s: Tensor, size: number, round: Round): void {
  const curvature = y.dot(s).item();
  if (!(curvature > 1e-10)) return;
  if (memory.y.length === size) for (const list of [memory.y, memory.s, memory.ro]) list.shift();
  memory.y.push(y);
  memory.s.push(s);
  memory.ro.push(round(1 / curvature));
  memory.scale = round(curvature / y.dot(y).item());
}

/** −H·g by the two-loop recursion. */
function newDirection({ y, s, ro, scale }: Memory, g: Tensor, round: Round): Tensor {
  const alpha = new Array<number>(y.length);
  const q = g.neg();
  for (let i = y.length - 1; i >= 0; i--) {
    alpha[i] = round(s[i].dot(q).item() * ro[i]);
    q.add_(y[i], { alpha: -alpha[i] });
  }
  const d = q.mul(scale);
  for (let i = 0; i < y.length; i++) {
    const beta = round(y[i].dot(d).item() * ro[i]);
    d.add_(s[i], { alpha: alpha[i] - beta });
  }
  return d;
}

/** All gradients end to end, zeros where there are none. A copy. */
function flatGradient(params: readonly Tensor[]): Tensor {
  const flat = params.map((p) =>
    p.grad === null
      ? Tensor.filled([p.numel], 0, p.dtype, p.device)
      : p.grad.detach().reshape([-1]),
  );
  return flat.length === 1 ? flat[0].clone() : cat(flat);
}

function move(params: readonly Tensor[], direction: Tensor, length: number): void {
  let offset = 0;
  for (const p of params) {
    p.add_(direction.narrow(0, offset, p.numel).reshape(p.shape), { alpha: length });
    offset += p.numel;
  }
}

const largest = (x: Tensor): number => x.abs().amax().item();

function numberFrom(loss: unknown): number {
  if (typeof loss === 'number') return loss;
  if (loss instanceof Tensor) return Number(loss.item());
  throw argumentError(`LBFGS.step(): the closure must return the loss, but got ${describe(loss)}`);
}
