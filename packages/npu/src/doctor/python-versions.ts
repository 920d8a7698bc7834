// Which Python runs which PyTorch with torch_npu. Source: compat.

import type { SourceKey } from '../profile/sources.js';

export interface PythonRow {
  readonly torch: string;
  readonly python: readonly string[];
}

export const PYTHON_SOURCE: SourceKey = 'compat';

const upTo = (first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, i) => `3.${first + i}`);

export const PYTHON_VERSIONS: readonly PythonRow[] = [
  { torch: '2.13.0', python: upTo(10, 14) },
  { torch: '2.12.0', python: upTo(10, 14) },
  { torch: '2.11.0', python: upTo(10, 14) },
  { torch: '2.10.0', python: upTo(10, 13) },
  { torch: '2.9.0', python: upTo(10, 13) },
  { torch: '2.8.0', python: upTo(9, 13) },
  { torch: '2.7.1', python: upTo(9, 13) },
  { torch: '2.6.0', python: upTo(9, 11) },
  { torch: '2.5.1', python: upTo(9, 11) },
  { torch: '2.4.0', python: upTo(8, 11) },
  { torch: '2.3.1', python: upTo(8, 11) },
  { torch: '2.2.0', python: upTo(8, 10) },
  { torch: '2.1.0', python: upTo(8, 11) },
  { torch: '1.11.0', python: upTo(7, 10) },
];
