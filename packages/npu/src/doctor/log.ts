// Reading a log of any length once, line by line: every line that a diagnosis may rest on is noted,
// and what it tells of versions and switches. The time is linear in the length of the log, and the
// memory bounded.

import type { Evidence } from './finding.js';

/** Longer lines are read up to here. */
const LINE_LIMIT = 8192;
/** Of a line as evidence. */
const TEXT_LIMIT = 300;
/** Lines kept of each kind; the others are counted. */
const KEPT = 3;
/** Bytes at the beginning that decide whether it is text. */
const PROBE = 4096;

/**
 * Lines that mean something, and what they hold. Repetitions have bounds, so that no line, whatever
 * it holds, takes more than a time in proportion to its length.
 */
export const SIGNATURES = {
  illegalFormat: /op\[?(?<op>Conv3DBackprop\w{1,40})\]?,? ?illegal format of (?<tensor>\w+)/,
  graphOperator: /OPS function error: (?<op>Conv\w{1,60}), error code is (?<code>\d+)/,
  inputL1:
    /Minimum load size may exceed L1 buffer, a_l1_size is (?<a>\d+)B, b_l1_size is (?<b>\d+)B, fill_zero_size is (?<fill>\d+)B, L1size is (?<limit>\d+)B(?:, width may exceed limits, actual width: (?<width>\d+), width limit: (?<widthLimit>\d+))?/,
  weightL1: /L1 min tiling exceed L1 size, current out_backprop width is (?<width>\d+)/,
  weightLoad3d:
    /kernel\/stride\/dilation\/pad H\/W dimension exceed load3d instruction support range, or minimum load size may exceed L1 buffer size (?<limit>\d+)/,
  forwardL1: /L1 min tiling excced L1 size\.? min al1:\s?(?<need>\d+)/,
  forwardLoad3d: /min posK\[(?<need>\d+)\] exc\w+ limit\[(?<limit>\d+)\]/,
  bounds:
    /(?<name>(?:filter|stride|pad|dilation)_[dhw]) is invalid, current is (?<value>\d+), \w+ support range \[(?<low>\d+), (?<high>\d+)\]/,
  groups: /Conv3dv2 only supports groups = 1 or groups = cin/i,
  deterministic:
    /Conv3DBackpropFilter cannot support groups\((?<groups>\d+)\) > 1 in deterministic/,
  onlyNcdhw:
    /In 3D scenes, the (?<tensor>\w+) format only supports NCDHW, but received (?<format>\w+)/,
  streamAttribute:
    /Invalid stream attribute ID: (?<id>\d+), Supported stream attribute IDs: \[(?<low>\d+), (?<end>\d+)\)/,
  streamAttributeNew:
    /rtsStream(?:Get|Set)Attribute failed because value (?<id>\d+) for parameter stmAttrId is invalid\. Expected value: \[(?<low>\d+), (?<end>\d+)\)/,
  shapeFunctionOff: /Report shape function is disabled due to incompatible CANN version/,
  aclnnFailed: /call (?<api>aclnn\w{1,120}) failed, error code is (?<code>\d+)/,
  aclnnMissing: /(?<api>aclnn\w{1,120}) or aclnn\w{1,120} not in (?<library>lib\w{1,60}\.so)/,
  undefinedSymbol: /undefined symbol: (?<symbol>[\w:~<>@.]{1,500})/,
  missingLibrary: /(?<library>lib\w{1,100}\.so[.\d]{0,20}): cannot open shared object file/,
  workspaceCrash: /aclnnConvolutionBackwardGetWorkspaceSize|GenConvMmDwOutputByMode/,
  crash: /Segmentation fault|core dumped|SIGSEGV|Signal: Segmentation/i,
  nullGradient:
    /aclnnConvolutionBackward\w{0,30}.{0,200}null|null.{0,200}aclnnConvolutionBackward|grad_?input\b.{0,80}\bnull/i,
  dynamicTransposed: /\[?prebuild failed, not support input size's? shape \[-1\] and \[-2\]/,
  opCompile: /Failed to compile Op \[(?<op>[^\]]{1,200})\]/,
  opUnsupported:
    /No supported Ops kernel and engine are found for \[(?<op>[^\]]{1,200})\], optype \[(?<type>\w+)\]|op type (?<missing>Conv3D\w{0,40}) is not found in this op store|Optype \[(?<kernel>Conv3D\w{0,40})\] of Ops kernel/,
  conv3dUnsupported:
    /\bconv3d\b.{0,60}(?:not (?:currently )?support|unsupported|not implement)|(?:not support|unsupported|不支持).{0,60}\bconv3d\b/i,
  backwardUnsupported:
    /(?:aclnnConvolutionBackward|3D (?:convolution )?backward).{0,60}not support/i,
  dtypeUnsupported: /data type (?<dtype>DT_\w+) of input \[(?<input>\w+)\] is not supported/,
  runtimeCode:
    /(?:error code is|error code:|ret(?:code)?[ :=]{1,3}|result = )\s?(?<code>107\d{3}|207\d{3}|507\d{3})\b/i,
  errorCode: /\b(?<code>E(?:[1-4]\d{4}|6\d{4}|[A-Z]\d{4}|[0-9A-Z]9999))\b/,
  torchNpuCode: /\b(?<code>ERR0[01]\d{3})\b/,
} as const satisfies Record<string, RegExp>;

export type SignatureName = keyof typeof SIGNATURES;

/** What a line needs to hold before the signatures are tried on it. */
const WORTH_A_LOOK =
  /E[0-9A-Z]\d{4}|ERR0|aclnn|Conv|conv3d|L1 |posK|range \[|attribut|Attribut|undefined symbol|\.so|null|ault|dumped|SIGSEGV|prebuild|compile Op|Ops kernel|op type|data type|not support|code|ret|result|incompatible|不支持/;

export interface Match extends Evidence {
  readonly line: number;
  readonly groups: Readonly<Record<string, string | undefined>>;
}

/** A version or switch that a log names. */
export type LogFact =
  | 'torch'
  | 'torchNpu'
  | 'cann'
  | 'python'
  | 'soc'
  | 'internalFormat'
  | 'jitCompile'
  | 'vllm';

const VERSION = String.raw`v?(\d+\.\d+(?:\.\d+)?(?:[.+-]?(?:rc|RC|post|dev|alpha|beta|a|b|T)\.?\d+)*(?:\.\d+)?(?:\+[\w.]{1,30})?)`;
const CANN_VERSION = String.raw`v?(\d+\.\d+\.(?:RC\d+(?:\.\d+)?|T\d+|\d+)(?:[.-](?:alpha|beta)\.?\d+)?)`;

const FACTS: readonly (readonly [fact: LogFact, pattern: RegExp])[] = [
  [
    'torchNpu',
    new RegExp(
      String.raw`\btorch[-_]npu(?:\.__version__)?['"]?(?:\s+version)?\s{0,40}[:=@-]{0,2}\s{0,4}${VERSION}`,
      'i',
    ),
  ],
  [
    'torch',
    new RegExp(
      String.raw`(?:\bPyTorch version\s?:\s?|(?:^|[\s'"(,])(?:py)?torch(?:\.__version__)?['"]?(?:\s+version)?\s{0,40}[:=@-]{0,2}\s{0,4})${VERSION}`,
      'i',
    ),
  ],
  [
    'cann',
    new RegExp(
      String.raw`\bCANN(?:[_ ]?(?:version|toolkit))?['"]?\s{0,40}[:=-]{0,2}\s{0,4}${CANN_VERSION}`,
      'i',
    ),
  ],
  ['cann', new RegExp(`ascend-toolkit/${CANN_VERSION}/`)],
  ['cann', new RegExp(`/cann[-_]${CANN_VERSION}/`)],
  ['python', /\bpython(?:\s?version)?\s?[:=]{0,2}\s?(3\.\d{1,2})\b|\/python(3\.\d{1,2})[./]/i],
  [
    'soc',
    /\b(Ascend(?:910B[1-4]\w{0,3}|910_9\d{3}|950\w{0,12}|910(?:A|ProA|ProB|PremiumA)|310[PB]\d?))\b|\b(910B[1-4]C?|310P\d?)\b|\bAtlas 300I (Duo)\b|\b300I (DUO)\b/i,
  ],
  ['internalFormat', /allow_internal_format\W{1,4}(True|False|enable|disable)/i],
  ['jitCompile', /jit_compile\W{1,4}(True|False|enable|disable)/i],
  ['vllm', /\bvllm[-_]ascend\s{0,4}[:=@]{0,2}\s{0,2}v?(\d+\.\d+[\w.]*)/i],
];

/** What a line needs to hold to tell such a thing. */
const WORTH_A_FACT =
  /[tT]orch|CANN|cann|ascend-toolkit|ython|Ascend|910|310|300I|allow_internal|jit_compile|vllm/;

/** Colours of terminals: ESC is a control character, which the next step takes out. */
const ESCAPES = /(?<=\p{Cc})\[[0-9;]{0,12}m/gu;

const printable = (text: string): string => {
  const clean = text
    .replace(ESCAPES, '')
    .replace(/\p{Cc}/gu, ' ')
    .trim();
  return clean.length > TEXT_LIMIT ? `${clean.slice(0, TEXT_LIMIT)}…` : clean;
};

const ALLOWED = new Set(['\n', '\r', '\t', '\f', '\u001b']);

/** A log as far as it was given. */
export class LogScan {
  readonly #matches = new Map<SignatureName, Match[]>();
  readonly #counts = new Map<SignatureName, number>();
  readonly #facts = new Map<LogFact, Match>();
  readonly #codes = new Map<string, Match>();
  #rest = '';
  #line = 0;
  #probed = 0;
  #strange = 0;

  /** The next part of the log; parts may end anywhere. */
  add(text: string): void {
    this.#probe(text);
    let from = 0;
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', from)) {
      this.#read(this.#rest + text.slice(from, Math.min(end, from + LINE_LIMIT)));
      this.#rest = '';
      from = end + 1;
    }
    if (this.#rest.length < LINE_LIMIT) this.#rest += text.slice(from, from + LINE_LIMIT);
  }

  /** Reads what stands after the last end of a line. */
  end(): this {
    if (this.#rest !== '') this.#read(this.#rest);
    this.#rest = '';
    return this;
  }

  /** Lines so far. */
  get lines(): number {
    return this.#line;
  }

  /** Whether what came first is no text. */
  get isBinary(): boolean {
    return this.#probed > 0 && this.#strange * 20 > this.#probed;
  }

  /** Lines of a kind: the first ones, in order. */
  all(name: SignatureName): readonly Match[] {
    return this.#matches.get(name) ?? [];
  }

  first(name: SignatureName): Match | undefined {
    return this.all(name)[0];
  }

  /** How many lines of a kind there were. */
  count(name: SignatureName): number {
    return this.#counts.get(name) ?? 0;
  }

  /** Where the log first names a version or a switch; the value is `groups.value`. */
  fact(name: LogFact): Match | undefined {
    return this.#facts.get(name);
  }

  /** Every error code with the first line that has it. */
  get codes(): ReadonlyMap<string, Match> {
    return this.#codes;
  }

  #probe(text: string): void {
    const part = text.slice(0, Math.max(0, PROBE - this.#probed));
    this.#probed += part.length;
    const strange = part.match(/[\p{Cc}\ufffd]/gu) ?? [];
    this.#strange += strange.filter((character) => !ALLOWED.has(character)).length;
  }

  #read(raw: string): void {
    this.#line++;
    const line = raw.length > LINE_LIMIT ? raw.slice(0, LINE_LIMIT) : raw;
    if (WORTH_A_FACT.test(line)) this.#readFacts(line);
    if (!WORTH_A_LOOK.test(line)) return;
    for (const name of Object.keys(SIGNATURES) as SignatureName[]) {
      const count = this.count(name);
      const match = SIGNATURES[name].exec(line);
      if (!match) continue;
      this.#counts.set(name, count + 1);
      const noted = this.#note(line, match.groups);
      if (count < KEPT) this.#matches.set(name, [...this.all(name), noted]);
      const code = match.groups?.code;
      if (name === 'errorCode' && code && !this.#codes.has(code)) this.#codes.set(code, noted);
    }
  }

  #readFacts(line: string): void {
    for (const [fact, pattern] of FACTS) {
      if (this.#facts.has(fact)) continue;
      const match = pattern.exec(line);
      const value = match?.slice(1).find((group) => group !== undefined);
      if (value !== undefined) this.#facts.set(fact, this.#note(line, { value }));
    }
  }

  #note(line: string, groups: Readonly<Record<string, string | undefined>> = {}): Match {
    return { where: `log:${this.#line}`, text: printable(line), line: this.#line, groups };
  }
}

/** A log that is there as a whole. */
export function scanLog(text: string): LogScan {
  const scan = new LogScan();
  scan.add(text);
  return scan.end();
}
