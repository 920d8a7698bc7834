// A diagnosis as a page: what is known of the installation, and a section for each finding.

import type { Diagnosis } from '@voxgrad/npu';
import { html, type ReportPage, reportTable } from '@voxgrad/train';

export function doctorPage({ versions, installed, logLines, findings }: Diagnosis): ReportPage {
  const known = Object.entries(versions).filter(([, version]) => version !== null);
  return {
    title: 'Diagnosis',
    subtitle: findings.length === 0 ? 'Nothing wrong was found' : 'The surest finding first',
    facts: { findings: String(findings.length), 'lines of the log': String(logLines) },
    sections: [
      ...findings.map(({ id, certainty, cause, evidence, remedies }) => ({
        title: `${id} (${certainty})`,
        note: cause,
        body: html`${reportTable(
          ['where', 'evidence'],
          evidence.map(({ where, text }) => [where, text]),
        )}<ul>${remedies.map((remedy) => html`<li>${remedy}</li>`)}</ul>`,
      })),
      {
        title: 'Versions',
        body: reportTable(
          ['what', 'version'],
          [
            ...known.map(([name, version]) => [name, String(version)]),
            ...installed.map(({ version, root }) => [root, version]),
          ],
        ),
      },
    ],
  };
}
