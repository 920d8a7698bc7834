/** `--quick`: fewer rounds and smaller sizes, to see that a suite runs. */
export const QUICK = process.argv.includes('--quick');

/** Rounds of an interleaved measurement. */
export const ROUNDS = QUICK ? 3 : 9;

/** The text behind `--flag=`. */
export const option = (flag: string): string | undefined =>
  process.argv.find((arg) => arg.startsWith(`${flag}=`))?.slice(flag.length + 1);

/** `--threads=N`: threads of the larger device; by default two, which the goals speak of. */
export const THREADS = Number(option('--threads') ?? 2);

/** `--dtype=float64`: that one alone. */
export const DTYPES = (['float32', 'float64'] as const).filter(
  (dtype) => dtype === (option('--dtype') ?? dtype),
);

/** Progress goes to standard error, so that standard output holds the tables alone. */
export const progress = (text: string): void => {
  process.stderr.write(`bench: ${text}\n`);
};
