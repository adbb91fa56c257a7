import { readAnswer, readClaim, readPageEvent, readPoll, walletPageVersion } from '../protocol.ts';
import type { CallReply } from '../../../platform/pages/page-server.ts';
import type { PageSession } from './page-session.ts';

/** What the page's script calls, each a path of its own. */
export const callNames = ['claim', 'poll', 'answer', 'event', 'lost'] as const;
export type CallName = (typeof callNames)[number];

export const isCallName = (name: string): name is CallName =>
  callNames.some((each) => each === name);

interface PageCall {
  readonly session: PageSession;
  readonly name: CallName;
  /** As presented; empty when none was. */
  readonly secret: string;
  readonly body: unknown;
  readonly onLost: () => void;
}

/**
 * The reply, or the status of a refusal. 400: no such message. 403: not from our page. 404: not asked.
 * 409: another tab has it.
 */
export async function answerCall(call: PageCall): Promise<CallReply | number> {
  const { session, name, secret, onLost } = call;
  if (name === 'claim') return claim(call);
  if (name === 'lost') {
    // It has no secret, so it can only ask to be opened again, and only while nobody has the page.
    if (session.isClaimed) return 409;
    onLost();
    return { body: {} };
  }
  const known = session.check(secret);
  if (known !== 'ok') return known === 'taken' ? 409 : 403;
  return perform(call);
}

function claim({ session, secret, body }: PageCall): CallReply | number {
  if (readClaim(body)?.version !== walletPageVersion) return 400;
  const claimed = session.claim(secret);
  if (claimed === 'taken') return 409;
  return claimed === 'unknown' ? 403 : { body: { version: walletPageVersion, ...claimed } };
}

async function perform({ session, name, body }: PageCall): Promise<CallReply | number> {
  if (name === 'poll') {
    const poll = readPoll(body);
    if (poll === undefined) return 400;
    const reply = await session.poll(poll);
    return { body: reply, onSent: () => session.left(reply) };
  }
  if (name === 'answer') {
    const answer = readAnswer(body);
    const taken = answer === undefined ? 'wrong-kind' : session.answer(answer);
    return { ok: { body: {} }, unknown: 404, 'wrong-kind': 400 }[taken];
  }
  const event = readPageEvent(body);
  if (event === undefined) return 400;
  session.hear(event.event);
  return { body: {} };
}
