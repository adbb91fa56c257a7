import type { Cost, Usage } from '../service/chat/chat-types.ts';

/**
 * State of one tool call of an answer. Only the states `waiting` (for the user) and `running` can change. A
 * conversation loaded from disk contains only final states.
 */
export type ToolRunStatus =
  | 'waiting'
  | 'running'
  | 'done'
  /** The tool failed, or its arguments were invalid. The output contains the reason. */
  | 'failed'
  /** The user or a rule denied the call. Nothing ran. */
  | 'denied'
  /** The call was stopped while it ran. Its effects up to the stop remain. */
  | 'cancelled'
  /** The call never started, because the turn ended or the window closed. */
  | 'not-run';

/** Media types of tool images that the service accepts. */
export const toolImageTypes = ['image/png', 'image/jpeg', 'image/webp'] as const;

/** An image that a tool read, for models with vision. */
export interface ToolImage {
  readonly mediaType: (typeof toolImageTypes)[number];
  /** Image bytes in Base64. */
  readonly data: string;
}

/** Tool call that another model made while it carried out a delegated task. */
export interface ToolStep extends Pick<
  ToolRun,
  'callId' | 'status' | 'verb' | 'target' | 'startedAt' | 'durationMs'
> {
  readonly name: string;
}

/** Turn in which another model carries out a delegated task. */
export interface DelegatedTurn {
  /** Display name of the model. */
  readonly model: string;
  /** Id of the model. Absent in records of earlier versions. */
  readonly modelId?: string;
  readonly steps: readonly ToolStep[];
  /** Total usage and cost of the turn. Requests without reported values do not count. */
  readonly usage?: Usage;
  readonly cost?: Cost;
  /** True if the cost of a request was computed from the model's prices. */
  readonly costEstimated?: true;
}

export interface ToolRun {
  /** Id of the call, assigned by the model and unique within the answer. */
  readonly callId: string;
  readonly status: ToolRunStatus;
  /** Verb of the action: `Read`, `Edit`, `Run`. Empty until known. */
  readonly verb: string;
  /** Target of the action, such as `src/app.ts:10-20` or a command line. A single line without hidden characters. */
  readonly target: string;
  /** URI that opens when the user clicks the tool's row in the chat. Absent if there is nothing to open. */
  readonly uri?: string;
  /** True if the tool changes nothing. The chat shows consecutive read-only runs as one row. */
  readonly readOnly: boolean;
  /**
   * Output sent to the model and shown to the user. Truncated, and without escape sequences and hidden characters. In
   * English, except for denials by rules and for failures of the service, which are in the display language.
   */
  readonly output: string;
  readonly images?: readonly ToolImage[];
  /** Set for a call that was delegated to another model. */
  readonly delegated?: DelegatedTurn;
  /** Start of the run, in milliseconds since the epoch. */
  readonly startedAt: number;
  readonly durationMs?: number;
  /** True if the user excluded the output from later requests. */
  readonly isRemoved?: true;
  /** True if the run was interrupted because its window closed. Absent if the user stopped the run. */
  readonly interrupted?: true;
}

/**
 * Returns the final state of a tool call after its window was closed. A waiting call becomes `not-run`. A running call
 * becomes `cancelled`, and its output states that the tool may have partly taken effect.
 */
export const interruptRun = (run: ToolRun): ToolRun => ({
  ...run,
  interrupted: true,
  ...(run.status === 'running'
    ? {
        status: 'cancelled',
        output:
          'The window was closed while this ran. It may have taken effect in part: check before you run it again.',
      }
    : { status: 'not-run', output: 'Not run: the window was closed before it started.' }),
});

export const isToolImageType = (mediaType: string): mediaType is ToolImage['mediaType'] =>
  toolImageTypes.some((type) => type === mediaType);

/** Checks whether the run has reached a final state. */
export const isRunCompleted = ({ status }: Pick<ToolRun, 'status'>): boolean =>
  status !== 'waiting' && status !== 'running';
