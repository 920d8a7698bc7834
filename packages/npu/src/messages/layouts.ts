// An error as the user of an NPU reads it: CANN's lines in the layout of its version, and around them
// what torch_npu prints. Process ids and times are the caller's; the parts that sources cut short
// (`[FUNC:…]`, file and line) are left out.

import { compareCann } from '../profile/cann-order.js';
import type { NpuProfile } from '../profile/profile.js';
import type { SourceKey } from '../profile/sources.js';
import { ERROR_CODES, INNER_CODES, isInnerCode } from './codes.js';

export interface Coded {
  readonly code: string;
  readonly message: string;
}

/** Where and when an error was printed. */
export interface Stamp {
  readonly pid: number;
  readonly time: Date;
  readonly device?: number;
  readonly rank?: number;
}

export interface Layout {
  readonly name: string;
  readonly source: SourceKey;
  /** True where the layout of another version or code is taken for this one. */
  readonly inferred?: true;
  readonly lines: (error: Coded, stamp: Stamp) => readonly string[];
}

const pad = (n: number, width: number) => String(n).padStart(width, '0');

/** `2025-03-17-11:49:50` */
const seconds = (t: Date) =>
  `${t.getFullYear()}-${pad(t.getMonth() + 1, 2)}-${pad(t.getDate(), 2)}-` +
  `${pad(t.getHours(), 2)}:${pad(t.getMinutes(), 2)}:${pad(t.getSeconds(), 2)}`;

/** `2025-03-17-11:49:50.181.289`; a Date has no microseconds. */
const micros = (t: Date) => `${seconds(t)}.${pad(t.getMilliseconds(), 3)}.000`;

const INDENT = '        ';

/** `Invalid_Argument(EE1001)` */
const titled = (code: string) => {
  const title = INNER_CODES[code]?.meaning ?? ERROR_CODES.get(code)?.title;
  return title ? `${title.replaceAll(' ', '_')}(${code}): ` : '';
};

const solution = (code: string) => {
  const text = ERROR_CODES.get(code)?.solution;
  return text ? [`${INDENT}Solution: ${text}`] : [];
};

export const LAYOUTS = {
  innerOld: {
    name: 'CANN up to 8.2, inner error',
    source: 'illegal_format',
    lines: ({ code, message }, { pid, time }) => [
      `${code}: Inner Error!`,
      `${code}: [PID: ${pid}] ${micros(time)} ${message}`,
      `${INDENT}TraceBack (most recent call last):`,
    ],
  },
  userOld: {
    name: 'CANN up to 8.2, error of the caller',
    source: 'corpus',
    lines: ({ code, message }, { pid, time }) => [
      `${code}: [PID: ${pid}] ${micros(time)} ${message}`,
      ...solution(code),
    ],
  },
  inner: {
    name: 'CANN 8.5 and later, inner error',
    source: 'corpus',
    lines: ({ code, message }, { pid, time }) => [
      `${code}: Inner Error!`,
      `${code}[PID: ${pid}] ${micros(time)} ${code === 'EZ9999' ? titled(code) : ''} ${message}`,
      `${INDENT}TraceBack (most recent call last):`,
      '       Check NnopbaseExecutorDoTiling(executor) failed',
    ],
  },
  user: {
    name: 'CANN 8.5 and later, error of the caller',
    source: 'corpus',
    lines: ({ code, message }, { pid, time }) => [
      `[PID: ${pid}] ${micros(time)} ${titled(code)}${message}`,
      ...solution(code),
      `${INDENT}TraceBack (most recent call last):`,
    ],
  },
} as const satisfies Record<string, Layout>;

/** The layout of `code` under CANN `version`. 8.3 is taken for one of the old ones (inferred). */
export function layoutOf(code: string, version: string): Layout {
  const old = compareCann(version, '8.5.0.alpha001') < 0;
  const inner = isInnerCode(code);
  if (old) return inner ? LAYOUTS.innerOld : LAYOUTS.userOld;
  return inner ? LAYOUTS.inner : LAYOUTS.user;
}

/** The lines that CANN prints for an error. */
export const cannText = (error: Coded, version: string, stamp: Stamp): string =>
  layoutOf(error.code, version).lines(error, stamp).join('\n');

/** What torch_npu's exception says around them. */
export interface Wrapper {
  /** `aclnnConvolutionBackward`, or the name of a graph operator. */
  readonly operation: string;
  readonly route: 'aclnn' | 'acl_op';
}

/**
 * What an aclnn function returns after such an error: 161002 where its arguments are refused, 561103
 * after a tiling that failed (sources: ret, after_failure). Graph operators return 500002.
 */
export function returnCode({ code }: Coded, route: Wrapper['route']): number {
  if (route === 'acl_op') return 500002;
  return isInnerCode(code) ? 561103 : 161002;
}

/** The text of torch_npu's exception with CANN's lines in it. Source: ptaerr. */
export function torchNpuText(
  error: Coded,
  { cann }: NpuProfile,
  wrapper: Wrapper,
  stamp: Stamp,
): string {
  const { pid, time, device = 0, rank = -1 } = stamp;
  const { operation, route } = wrapper;
  const status = returnCode(error, route);
  const where = `[ERROR] ${seconds(time)} (PID:${pid}, Device:${device}, RankID:${rank})`;
  const lines =
    route === 'aclnn'
      ? [
          `NPU function error: call ${operation} failed, error code is ${status}`,
          `${where} ERR00100 PTA call acl api failed`,
        ]
      : [
          `OPS function error: ${operation}, error code is ${status}`,
          `${where} ERR01100 OPS call acl api failed`,
        ];
  return [...lines, cannText(error, cann.version, stamp)].join('\n');
}
