// How a command failed: a code for programs, a message for people, and the exit code.

import { VoxgradError } from '@voxgrad/core';
import { CommanderError } from 'commander';
import { UsageError } from './command.js';

export interface Failure {
  readonly code: string;
  readonly message: string;
  /** 1 a finding or failure, 2 wrong usage. */
  readonly exitCode: number;
}

export function failureOf(error: unknown): Failure {
  if (error instanceof FailedThere) return error.failure;
  if (error instanceof CommanderError) return usage(error.message.replace(/^error: /, ''));
  if (error instanceof UsageError) return usage(error.message);
  if (error instanceof VoxgradError)
    return { code: error.code, message: error.message, exitCode: 1 };
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return {
    code: 'INTERNAL',
    message: `this is a bug in voxgrad, please report it: ${text}`,
    exitCode: 1,
  };
}

const usage = (message: string): Failure => ({ code: 'USAGE', message, exitCode: 2 });

/** What another thread threw. */
export class FailedThere extends Error {
  readonly failure: Failure;

  constructor(failure: Failure) {
    super(failure.message);
    this.failure = failure;
  }
}
