/** What a command may touch of its process. */
export interface CommandContext {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly stdin: NodeJS.ReadableStream;
  readonly stdout: NodeJS.WritableStream;
  /** A line on standard error. */
  readonly say: (line: string) => void;
  /** Fires when the process is asked to end. */
  readonly signal: AbortSignal;
}

/** Does what the words after its name say, and gives the exit code. */
export type Command = (args: readonly string[], context: CommandContext) => Promise<number>;
