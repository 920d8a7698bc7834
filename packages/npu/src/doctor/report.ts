// A diagnosis as text.

import { SOURCES } from '../profile/sources.js';
import type { Diagnosis } from './doctor.js';

const known = (diagnosis: Diagnosis): string => {
  const { versions, switches } = diagnosis;
  const parts: [string, string | null][] = [
    ['CANN', versions.cann],
    ['torch_npu', versions.torchNpu],
    ['PyTorch', versions.torch],
    ['Python', versions.python],
    ['chip', versions.soc],
    ['allow_internal_format', switches.internalFormat],
    ['jit_compile', switches.jitCompile],
  ];
  const list = parts.flatMap(([name, value]) => (value === null ? [] : [`${name} ${value}`]));
  return list.length > 0 ? list.join(', ') : 'no versions were named';
};

/** The diagnosis, line by line. */
export function* diagnosisLines(diagnosis: Diagnosis): Generator<string> {
  yield known(diagnosis);
  for (const { version, root } of diagnosis.installed)
    yield `installed: CANN ${version} in ${root}`;
  for (const [i, { root, version }] of diagnosis.libraryPath.entries())
    yield `library path ${i + 1}: ${root}${version === null ? '' : ` (CANN ${version})`}`;
  if (diagnosis.findings.length === 0) {
    yield diagnosis.logLines > 0
      ? `nothing known in ${diagnosis.logLines} lines of log`
      : 'nothing known to be wrong';
    return;
  }
  for (const { id, certainty, cause, evidence, remedies, sources } of diagnosis.findings) {
    yield '';
    yield `${certainty.toUpperCase()} ${id}`;
    yield `  cause     ${cause}`;
    for (const { where, text } of evidence) yield `  evidence  ${where}: ${text}`;
    for (const remedy of remedies) yield `  remedy    ${remedy}`;
    for (const source of sources) yield `  source    ${SOURCES[source]}`;
  }
}
