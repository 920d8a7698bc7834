import { existsSync, readFileSync } from 'node:fs';
import { VoxgradError } from '@voxgrad/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { forAll } from '../../../../test/support/properties.js';
import {
  cannText,
  diagnosisLines,
  doctor,
  GENERATIONS,
  type InstallationTree,
  isInstallationFile,
  LogScan,
  npu,
  PYTHON_VERSIONS,
  parseConv,
  parseEnvironment,
  plan,
  SOURCES,
  torchNpuText,
} from '../../src/index.js';
import { CASES, type Case } from './cases.js';

const treeOf = ({ files = {}, links = {} }: Pick<Case, 'files' | 'links'>): InstallationTree => ({
  files: new Map(Object.entries(files)),
  links: new Map(Object.entries(links)),
  folders: new Set(),
});

const diagnose = (given: Pick<Case, 'files' | 'links' | 'env' | 'log'>) =>
  doctor({ tree: treeOf(given), environment: given.env ?? '', log: given.log ?? '' });

describe('public cases and incidents', () => {
  it.each(CASES)('$name', (given) => {
    const { findings } = diagnose(given);
    expect(findings.map(({ id, certainty }) => [id, certainty])).toEqual(given.findings);
    const [first] = findings;
    expect(first.remedies.join('\n')).toMatch(given.remedy);
    // The evidence is a line that was given.
    for (const { evidence } of findings) {
      expect(evidence.length).toBeGreaterThan(0);
      for (const { where, text } of evidence) {
        if (!where.startsWith('log:')) continue;
        expect(given.log?.split('\n')[Number(where.slice(4)) - 1].trim()).toBe(text);
      }
    }
    for (const { sources } of findings) {
      expect(sources.length).toBeGreaterThan(0);
      for (const source of sources) expect(SOURCES[source]).toMatch(/\w/);
    }
    expect([...diagnosisLines(diagnose(given))].join('\n')).toContain(first.id);
  });

  it('the numbers of an overflow', () => {
    const [train04, train05] = CASES.filter(({ name }) => name.startsWith('incident 2'));
    expect(diagnose(train04).findings[0].cause).toMatch(
      /555,520 B .* 524,288 B: 31,232 B too many/,
    );
    expect(diagnose(train05).findings[0].cause).toMatch(/525,312 B .* 524,288 B: 1,024 B too many/);
  });

  it('with the library path cleaned, the message and the diagnosis are gone', () => {
    const mixed = CASES.find(({ name }) => name.startsWith('15c')) as Case;
    const clean = diagnose({
      ...mixed,
      log: 'torch 2.7.1\ntraining step 1: loss 0.7',
      env: 'ASCEND_TOOLKIT_HOME=/usr/local/Ascend/cann-8.5.1\nLD_LIBRARY_PATH=/usr/local/Ascend/cann-8.5.1/lib64',
    });
    expect(clean.findings.map(({ id }) => id)).toEqual(['several-installations']);
    expect(clean.versions.cann).toBe('8.5.1');
  });
});

const SHEET = new URL('../../../../../shared/facts/ascend.json', import.meta.url);
describe.skipIf(!existsSync(SHEET))(
  'the public cases of ../shared/facts/ascend.json (skipped where there is none)',
  () => {
    const { issue_cases: sheet } = (
      existsSync(SHEET) ? JSON.parse(readFileSync(SHEET, 'utf8')) : { issue_cases: [] }
    ) as { issue_cases: { id: number; src: string }[] };

    it.each(sheet)('$id is among those above: $src', ({ id, src }) => {
      const own = CASES.filter(({ name }) => new RegExp(`^${id}[a-z]?: `).test(name));
      expect(own.length).toBeGreaterThan(0);
      for (const given of own) {
        expect(given.source).toBe(src);
        for (const { cause, evidence, remedies, certainty } of diagnose(given).findings) {
          expect(cause).toMatch(/\w{3}/);
          expect(evidence.length).toBeGreaterThan(0);
          expect(remedies.length).toBeGreaterThan(0);
          expect(['certain', 'likely', 'possible']).toContain(certainty);
        }
      }
    });

    it('are fifteen', () => {
      expect(sheet.length).toBe(15);
    });
  },
);

describe('what the planner predicts, the doctor explains', () => {
  const conv = parseConv('x=1,7,296,296,168 w=7,1,9,9,9 padding=4 groups=7');
  it.each(['8.1.RC1', '8.2.RC1', '8.3.RC1', '8.5.0', '9.0.0', '9.1.0'])('under CANN %s', (cann) => {
    const device = npu('Ascend910B1', { cann });
    const broken = plan(device, [conv]).layers[0].native.checks.find(({ ok }) => !ok);
    const error = { code: broken?.code ?? '', message: broken?.text ?? '' };
    const stamp = { pid: 7, time: new Date(0) };
    const wrapper = { operation: 'aclnnConvolutionBackward', route: 'aclnn' } as const;
    for (const log of [
      cannText(error, cann, stamp),
      torchNpuText(error, device.profile, wrapper, stamp),
    ]) {
      const { findings } = doctor({ log });
      expect(findings.map(({ id }) => id)).toEqual(['input-gradient-l1']);
      expect(findings[0].cause).toContain('1,024 B too many');
    }
  });
});

describe('versions', () => {
  const of = (log: string) =>
    doctor({ log }).findings.map(({ id, certainty }) => `${certainty} ${id}`);

  it('every released row is in order', () => {
    for (const { cann, releases } of GENERATIONS)
      for (const [torchNpu, torch] of Object.entries(releases)) {
        if (cann === null || /beta|rc/.test(torchNpu)) continue;
        expect(of(`torch ${torch}\ntorch_npu ${torchNpu}\nCANN ${cann}`)).toEqual([]);
      }
  });

  it.each([
    ['torch 2.7.1\nCANN 8.2.RC1', 'certain version-pair'],
    ['torch 2.6.0\ntorch_npu 2.7.1\nCANN 8.3.RC1', 'certain torch-pair'],
    ['torch 2.7.1\ntorch_npu 2.7.1\nCANN 9.1.0', 'likely version-pair'],
    ['torch_npu 2.7.1.post99', 'possible unknown-torch-npu'],
    ['torch 2.6.0\nPython 3.12', 'certain python-pair'],
    ['CANN 8.2.RC9', 'possible unknown-cann'],
  ])('%j', (log, finding) => {
    expect(of(log)).toContain(finding);
  });

  it('8.5.1 goes where 8.5.0 goes', () => {
    expect(of('torch 2.7.1\ntorch_npu 2.7.1.post2\nCANN 8.5.1')).toEqual([]);
  });

  it('unknown names come with the nearest known ones', () => {
    expect(doctor({ log: 'CANN 8.2.RC9' }).findings[0].cause).toMatch(/8\.2\.RC1/);
    expect(doctor({ log: 'torch_npu 2.7.1.post99' }).findings[0].remedies[0]).toMatch(
      /2\.7\.1\.post/,
    );
  });

  it('are read as people paste them', () => {
    const { versions } = doctor({
      log: [
        'PyTorch version: 2.7.1+cpu',
        'torch-npu                         2.7.1.post2',
        'CANN version: 8.5.0',
        'Python version: 3.11.6',
        'Name: Ascend910_9362',
      ].join('\n'),
    });
    expect(versions).toEqual({
      cann: '8.5.0',
      torch: '2.7.1+cpu',
      torchNpu: '2.7.1.post2',
      python: '3.11',
      soc: 'Ascend910_9362',
    });
  });

  const FACTS = new URL('../../../../../shared/facts/ascend.json', import.meta.url);
  it.skipIf(!existsSync(FACTS))(
    'Python rows equal ../shared/facts/ascend.json (skipped where there is none)',
    () => {
      const { python_compat } = JSON.parse(readFileSync(FACTS, 'utf8')) as {
        python_compat: { torch: string; python: string[] }[];
      };
      expect(PYTHON_VERSIONS).toEqual(
        python_compat.map(({ torch, python }) => ({ torch, python })),
      );
    },
  );
});

describe('an installation', () => {
  const HOME = '/usr/local/Ascend/ascend-toolkit';
  const info = (version: string) =>
    `package_name=Ascend-cann-toolkit\r\nversion=${version}\r\narch=aarch64\r\n`;

  it('finds versions, links and packages of Python', () => {
    const { installed, versions, libraryPath } = doctor({
      tree: treeOf({
        files: {
          [`${HOME}/8.2.RC1/aarch64-linux/ascend_toolkit_install.info`]: info('8.2.RC1'),
          [`${HOME}/8.2.RC1/runtime/version.info`]: 'Version=7.7.0.1.238\nversion_dir=8.2.RC1\n',
          '/usr/lib/python3.10/site-packages/torch-2.6.0+cpu.dist-info/METADATA':
            'Name: torch\nVersion: 2.6.0+cpu\n',
          '/usr/lib/python3.10/site-packages/torch_npu-2.6.0.dist-info/METADATA':
            'Name: torch_npu\nVersion: 2.6.0\n',
        },
        links: { [`${HOME}/latest`]: './8.2.RC1' },
      }),
      environment: `LD_LIBRARY_PATH=${HOME}/latest/lib64:${HOME}/8.2.RC1/lib64`,
    });
    expect(installed).toEqual([{ version: '8.2.RC1', root: `${HOME}/8.2.RC1` }]);
    expect(versions).toMatchObject({
      cann: '8.2.RC1',
      torch: '2.6.0+cpu',
      torchNpu: '2.6.0',
      python: '3.10',
    });
    // latest is a link to the same version: nothing is mixed.
    expect(libraryPath.map(({ version }) => version)).toEqual(['8.2.RC1', '8.2.RC1']);
  });

  it.each([
    [
      'a part of another version',
      { [`${HOME}/8.2.RC1/runtime/version.info`]: 'version_dir=8.1.RC1' },
      'mixed-components',
    ],
    [
      'a damaged file',
      { [`${HOME}/8.1.RC1/aarch64-linux/ascend_toolkit_install.info`]: '\u0000\u0001' },
      'unreadable-install-info',
    ],
    [
      'a second version',
      { [`${HOME}/8.1.RC1/aarch64-linux/ascend_toolkit_install.info`]: info('8.1.RC1') },
      'several-installations',
    ],
  ])('%s', (_, files, id) => {
    const tree = treeOf({
      files: {
        [`${HOME}/8.2.RC1/aarch64-linux/ascend_toolkit_install.info`]: info('8.2.RC1'),
        ...files,
      },
    });
    expect(doctor({ tree }).findings.map((finding) => finding.id)).toEqual([id]);
  });

  it('variables that point elsewhere', () => {
    const { findings } = doctor({
      environment: [
        'ASCEND_TOOLKIT_HOME=/usr/local/Ascend/cann-8.5.0',
        `export ASCEND_OPP_PATH="${HOME}/8.2.RC1/opp"`,
        'LD_LIBRARY_PATH=/usr/local/Ascend/cann-8.5.0/lib64',
      ].join('\n'),
    });
    expect(findings).toMatchObject([{ id: 'leftover-variable', certainty: 'likely' }]);
    expect(findings[0].evidence[0]).toMatchObject({ where: 'env:ASCEND_OPP_PATH' });
  });

  it('an older runtime first', () => {
    const { findings } = doctor({
      environment: 'LD_LIBRARY_PATH=/a/ascend-toolkit/8.2.RC1/lib64:/a/cann-8.5.0/lib64',
    });
    expect(findings).toMatchObject([{ id: 'older-runtime-first', certainty: 'certain' }]);
    expect(
      doctor({ environment: 'LD_LIBRARY_PATH=/a/cann-8.5.0/lib64:/a/ascend-toolkit/8.2.RC1/lib64' })
        .findings,
    ).toMatchObject([{ id: 'mixed-libraries', certainty: 'certain' }]);
  });

  it('wants few files', () => {
    expect(isInstallationFile(`${HOME}/8.2.RC1/aarch64-linux/ascend_toolkit_install.info`)).toBe(
      true,
    );
    expect(isInstallationFile('/x/torch_npu-2.6.0.dist-info/METADATA')).toBe(true);
    expect(isInstallationFile('/x/numpy-2.6.0.dist-info/METADATA')).toBe(false);
    expect(isInstallationFile(`${HOME}/8.2.RC1/opp/built-in/op.json`)).toBe(false);
  });
});

describe('an environment', () => {
  it('with values over several lines, exports and quotes', () => {
    const env = parseEnvironment(
      'A=1\nB=x\ny\n\ndeclare -x C="three"\nexport D=\'4\'\nnonsense\r\nE=a=b\r\n',
    );
    expect([...env]).toEqual([
      ['A', '1'],
      ['B', 'x\ny'],
      ['C', 'three'],
      ['D', '4\nnonsense'],
      ['E', 'a=b'],
    ]);
  });
});

describe('logs that are none', () => {
  it('nothing known is said so', () => {
    const nothing = doctor({ log: 'loss 0.1\nloss 0.2\n' });
    expect(nothing.findings).toEqual([]);
    expect([...diagnosisLines(nothing)].join('\n')).toContain('nothing known in 2 lines of log');
    expect(doctor({}).findings).toEqual([]);
  });

  it('binary data is told from text', () => {
    const scan = new LogScan();
    scan.add(String.fromCharCode(...Array.from({ length: 500 }, (_, i) => i % 256)));
    expect(scan.end().isBinary).toBe(true);
    const text = new LogScan();
    text.add('\u001b[31mE69999\u001b[0m: Inner Error! 错误\n');
    expect(text.end().isBinary).toBe(false);
  });

  it('anything else is refused', () => {
    // @ts-expect-error: JavaScript callers may pass anything
    expect(() => doctor({ log: 7 })).toThrow(VoxgradError);
    // @ts-expect-error: JavaScript callers may pass anything
    expect(() => doctor({ environment: [] })).toThrow(/environment must be the output of env/);
  });

  it('any text, cut anywhere, gives the same as the whole, and never fails', () => {
    const known = CASES.flatMap(({ log }) => log?.split('\n') ?? []);
    const piece = fc.oneof(
      fc.constantFrom(...known),
      fc.string({ maxLength: 60 }),
      fc.string({ unit: 'binary', maxLength: 40 }),
      fc.constantFrom(
        'E69999'.repeat(300),
        'aclnn'.repeat(3000),
        'lib'.repeat(5000),
        '../'.repeat(4000),
      ),
    );
    forAll(
      fc.tuple(fc.array(piece, { maxLength: 12 }), fc.array(fc.nat(4000), { maxLength: 6 })),
      ([lines, cuts]) => {
        const log = lines.join('\n');
        const scan = new LogScan();
        let from = 0;
        for (const cut of [...cuts.sort((a, b) => a - b), log.length]) {
          scan.add(log.slice(from, Math.max(from, cut)));
          from = Math.max(from, cut);
        }
        expect(doctor({ log: scan.end() }).findings).toEqual(doctor({ log }).findings);
      },
      60,
    );
  });

  it('lines of any length, and a hundred thousand of them', () => {
    const scan = new LogScan();
    const long = 'x'.repeat(1 << 16);
    for (let i = 0; i < 64; i++) scan.add(long); // one line of 4 MiB
    scan.add('\n');
    for (let i = 0; i < 1000; i++) scan.add('[INFO] torch step, aclnnAdd, conv3d ok\n'.repeat(100));
    scan.add('E69999: op[Conv3DBackpropFilter], illegal format of x.');
    const { findings, logLines } = doctor({ log: scan.end() });
    expect(logLines).toBe(100_002);
    expect(findings[0]).toMatchObject({ id: 'nd-format', evidence: [{ where: 'log:100002' }] });
  });
});
