import {
  readAnswer,
  readClaim,
  readPageEvent,
  readPoll,
  walletPageVersion,
} from '../../../protocol/wallet-page.ts';
import type { PageSession } from './page-session.ts';

/** What the page's script calls, each a path of its own. */
export const callNames = ['claim', 'poll', 'answer', 'event', 'lost'] as const;
export type CallName = (typeof callNames)[number];

interface PageCall {
  readonly session: PageSession;
  readonly name: CallName;
  /** As presented; empty when none was. */
  readonly secret: string;
  readonly body: unknown;
  readonly onLost: () => void;
}

/**
 * The body of the reply, or the status of a refusal. 400: no such message. 403: not from our page. 404: not asked.
 * 409: another tab has it.
 */
export async function answerCall(call: PageCall): Promise<object | number> {
  const { session, name, secret, onLost } = call;
  if (name === 'claim') return claim(call);
  if (name === 'lost') {
    // It has no secret, so it can only ask to be opened again, and only while nobody has the page.
    if (session.isClaimed) return 409;
    onLost();
    return {};
  }
  const known = session.check(secret);
  if (known !== 'ok') return known === 'taken' ? 409 : 403;
  return perform(call);
}

function claim({ session, secret, body }: PageCall): object | number {
  if (readClaim(body)?.version !== walletPageVersion) return 400;
  const claimed = session.claim(secret);
  if (claimed === 'taken') return 409;
  return claimed === 'unknown' ? 403 : { version: walletPageVersion, ...claimed };
}

async function perform({ session, name, body }: PageCall): Promise<object | number> {
  if (name === 'poll') {
    const poll = readPoll(body);
    return poll === undefined ? 400 : session.poll(poll);
  }
  if (name === 'answer') {
    const answer = readAnswer(body);
    const taken = answer === undefined ? 'wrong-kind' : session.answer(answer);
    return { ok: {}, unknown: 404, 'wrong-kind': 400 }[taken];
  }
  const event = readPageEvent(body);
  if (event === undefined) return 400;
  session.hear(event.event);
  return {};
}
