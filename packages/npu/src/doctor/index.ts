export { type Diagnosis, type DoctorInput, doctor } from './doctor.js';
export { type Environment, parseEnvironment } from './environment.js';
export type { Certainty, Evidence, Finding } from './finding.js';
export { type InstallationTree, isInstallationFile } from './installation.js';
export { LogScan } from './log.js';
export { PYTHON_VERSIONS } from './python-versions.js';
export { diagnosisLines } from './report.js';
