/**
 * What became of one tool call of an answer. `waiting` (for the person) and `running` are the only states that
 * change by themselves; a conversation that is read from disk has neither.
 */
export type ToolRunStatus =
  | 'waiting'
  | 'running'
  | 'done'
  /** The tool, or the check of its arguments, said why not. */
  | 'failed'
  /** The person or a rule said no. Nothing was done. */
  | 'denied'
  /** Stopped while it ran: what it did until then stays done. */
  | 'cancelled'
  /** Never started: the turn ended before its place came, or the window was closed. */
  | 'not-run';

/** The kinds of picture of tools that the service takes (service facts §1.2). */
export const toolImageTypes = ['image/png', 'image/jpeg', 'image/webp'] as const;

/** A picture that a tool read, for models that see. */
export interface ToolImage {
  readonly mediaType: (typeof toolImageTypes)[number];
  /** Base64. */
  readonly data: string;
}

export interface ToolRun {
  /** The id that the model gave its call; unique within its answer. */
  readonly callId: string;
  readonly status: ToolRunStatus;
  /** What was done, as a past verb: `Read`, `Edited`, `Ran`. Empty until it is known. */
  readonly verb: string;
  /** What it was done to, e.g. `src/app.ts:10-20` or a command line. One line, no hidden characters. */
  readonly target: string;
  /** URI that a click on the row opens; absent when there is nothing to open. */
  readonly uri?: string;
  /** Changes nothing: consecutive ones are shown as one row. */
  readonly readOnly: boolean;
  /**
   * What the model is told, and the person can read. English, but for why a rule refused the call and what the service
   * said of a failure: these are in the editor's language. Capped, without escape sequences and hidden characters.
   */
  readonly output: string;
  readonly images?: readonly ToolImage[];
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly durationMs?: number;
  /** That it was cancelled or not run is not what the person wanted: the window was closed, or is gone. */
  readonly interrupted?: true;
}

/** The run as it ends with its window. What waited was never done; what ran may have done anything. */
export const interruptRun = (run: ToolRun): ToolRun => ({
  ...run,
  interrupted: true,
  ...(run.status === 'running'
    ? {
        status: 'cancelled',
        output:
          'The window was closed while this ran. It may be done in part: look before you do it again.',
      }
    : { status: 'not-run', output: 'Not run: the window was closed before it began.' }),
});

export const isToolImageType = (mediaType: string): mediaType is ToolImage['mediaType'] =>
  toolImageTypes.some((each) => each === mediaType);

/** Whether nothing more will happen to the run. */
export const isRunCompleted = ({ status }: Pick<ToolRun, 'status'>): boolean =>
  status !== 'waiting' && status !== 'running';
