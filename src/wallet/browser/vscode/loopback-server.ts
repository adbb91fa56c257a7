import type { Clock } from '../../../base/clock.ts';
import {
  type LoopbackPage,
  startLoopbackPage as start,
} from '../../../platform/pages/page-server.ts';
import { answerCall, callNames, isCallName } from './page-calls.ts';
import type { PageSession } from './page-session.ts';

/** Everything that is served. */
export interface PageFiles {
  readonly html: string;
  readonly script: string | Uint8Array;
  readonly style: string | Uint8Array;
}

export interface WalletServerOptions {
  readonly session: PageSession;
  readonly files: PageFiles;
  readonly clock: Clock;
  /** Random: every answer has it, so that this server is known through a tunnel. */
  readonly id: string;
  /** The page was opened without a token in its address. */
  readonly onLost: () => void;
}

/** Serves the page of the browser wallet. Rejects when no port can be had. */
export const startLoopbackPage = (options: WalletServerOptions): Promise<LoopbackPage> => {
  const { session, files, clock, id, onLost } = options;
  return start({
    html: files.html,
    assets: {
      'wallet.js': { type: 'text/javascript; charset=utf-8', bytes: files.script },
      'wallet.css': { type: 'text/css; charset=utf-8', bytes: files.style },
    },
    calls: callNames,
    answer: async ({ name, secret, body }) =>
      isCallName(name) ? answerCall({ session, name, secret, body, onLost }) : 404,
    clock,
    id,
  });
};
