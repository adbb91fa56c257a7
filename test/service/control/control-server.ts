import fastify, { type FastifyInstance } from 'fastify';
import * as v from 'valibot';
import { omitUndefined } from '../../../src/base/json.ts';
import { requireScript, type Script } from '../chat/script.ts';
import { codeModelMisbehaviorSchema } from '../models/completion/misbehavior.ts';
import { getWalletAccountId } from '../money/accounts.ts';
import { toMicro } from '../money/amounts.ts';
import { keyTypes, limitPeriods, modelPrivacies } from '../money/api-key.ts';
import { searchOptionsSchema } from '../web/search-options.ts';
import { web3BodySchema } from '../web3/web3-settings.ts';
import { enclaveMisbehaviorSchema } from '../tee/misbehavior.ts';
import type { ServiceState } from '../service-state.ts';
import { topUpMisbehaviorSchema } from '../x402/misbehavior.ts';
import type { FaultPlan } from './faults.ts';

const paceSchema = v.object({ firstTokenMs: v.number(), tokensPerSecond: v.number() });
const paceBodySchema = v.object({
  pace: v.union([v.picklist(['natural', 'instant']), paceSchema]),
});
const clockBodySchema = v.object({ set: v.optional(v.string()), advance: v.optional(v.number()) });
const releaseBodySchema = v.object({ name: v.string() });
const limitBodySchema = v.object({
  model: v.optional(v.string(), '*'),
  rpm: v.number(),
  tpm: v.number(),
});
const modelBodySchema = v.object({
  model: v.string(),
  contextTokens: v.pipe(v.number(), v.integer(), v.minValue(1)),
  listed: v.optional(v.boolean(), true),
});
const routesBodySchema = v.strictObject({ completions: v.boolean() });
const chainBodySchema = v.strictObject({
  revert: v.optional(v.string()),
  nextBlockTime: v.optional(v.pipe(v.number(), v.integer())),
  mine: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1))),
  snapshot: v.optional(v.literal(true)),
});
const accountBodySchema = v.object({
  id: v.optional(v.string(), 'main'),
  usd: v.optional(v.number()),
  bundled: v.optional(v.number()),
  stakedDiem: v.optional(v.number()),
  keys: v.optional(
    v.array(
      v.object({
        secret: v.string(),
        id: v.optional(v.string()),
        type: v.optional(v.picklist(keyTypes), 'INFERENCE'),
        description: v.optional(v.string()),
        expiresAt: v.optional(v.string()),
        limit: v.optional(v.object({ usd: v.optional(v.number()), diem: v.optional(v.number()) })),
        limitPeriod: v.optional(v.picklist(limitPeriods)),
        modelPrivacy: v.optional(v.picklist(modelPrivacies)),
      }),
    ),
    [],
  ),
});

/** Body of `POST /accounts`. Amounts are in dollars or diem. */
export type AccountChange = v.InferInput<typeof accountBodySchema>;
export type ModelChange = v.InferInput<typeof modelBodySchema>;
export type RouteChange = v.InferInput<typeof routesBodySchema>;
export type LimitChange = v.InferInput<typeof limitBodySchema>;
/**
 * Body of `POST /chain`. The service applies the fields in the order of the schema. `nextBlockTime` is in seconds since
 * the Unix epoch.
 */
export type ChainChange = v.InferInput<typeof chainBodySchema>;
export type ClockChange = v.InferInput<typeof clockBodySchema>;

/** Creates the server of the control plane. It has a separate port, so that the clients under test cannot access it. */
export function createControl(state: ServiceState): FastifyInstance {
  const app = fastify({ forceCloseConnections: true, bodyLimit: 256 * 1024 * 1024 });
  rejectWebPages(app);
  addReadRoutes(app, state);
  addWriteRoutes(app, state);
  return app;
}

/** Rejects requests from web pages, including those whose host name resolves to this machine (DNS rebinding). */
function rejectWebPages(app: FastifyInstance): void {
  app.addHook('onRequest', async (request, reply) => {
    const { host, origin } = request.headers;
    if (origin !== undefined) return reply.code(403).send({ error: 'No page may steer this.' });
    if (host !== `127.0.0.1:${request.socket.localPort}`) {
      return reply.code(421).send({ error: 'Not the name of this server.' });
    }
    return undefined;
  });
}

function addReadRoutes(app: FastifyInstance, state: ServiceState): void {
  app.get('/requests', async (request) => {
    const { after, wait } = request.query as { after?: string; wait?: string };
    return state.log.waitForNewer(Number(after ?? -1), Number(wait ?? 0));
  });
  app.get('/script', async () => ({ left: state.scripts.remainingReplyCount }));
  app.get('/accounts', async () => {
    await state.stakers.refreshAllStakes();
    return state.accounts.listAll();
  });
}

function addWriteRoutes(app: FastifyInstance, state: ServiceState): void {
  const post = (path: string, applyChange: (body: unknown) => void): void => {
    app.post(path, async ({ body }) => {
      applyChange(body);
      return {};
    });
  };
  post('/faults', (body) => state.faults.addPlan(body as FaultPlan));
  post('/script', (body) => addScripts(state, body));
  post('/models', (body) => state.catalog.changeContextLength(v.parse(modelBodySchema, body)));
  post('/release', (body) => state.scripts.releasePause(v.parse(releaseBodySchema, body).name));
  post('/pace', (body) => void (state.pace = v.parse(paceBodySchema, body).pace));
  post(
    '/misbehavior',
    (body) => void (state.codeModelMisbehavior = v.parse(codeModelMisbehaviorSchema, body)),
  );
  post('/x402', (body) => void (state.wallets.misbehavior = v.parse(topUpMisbehaviorSchema, body)));
  post(
    '/routes',
    (body) => void (state.hasCompletionsRoute = v.parse(routesBodySchema, body).completions),
  );
  post('/web', (body) => void (state.web.options = v.parse(searchOptionsSchema, body)));
  post(
    '/tee',
    (body) => void (state.enclave.misbehavior = v.parse(enclaveMisbehaviorSchema, body)),
  );
  post('/clock', (body) => changeClock(state, v.parse(clockBodySchema, body)));
  post('/limits', (body) => {
    const { model, rpm, tpm } = v.parse(limitBodySchema, body);
    state.limits.rateOverrides.set(model, { rpm, tpm });
  });
  post('/web3', (body) => state.web3.change(v.parse(web3BodySchema, body)));
  post('/accounts', (body) => changeAccount(state, v.parse(accountBodySchema, body)));
  post('/reset', () => state.reset());
  app.post('/chain', async ({ body }) => changeChain(state, v.parse(chainBodySchema, body)));
}

async function changeChain(
  { options: { chain } }: ServiceState,
  change: ChainChange,
): Promise<{ snapshot?: string }> {
  if (chain === undefined) throw new Error('The service was started without a chain');
  if (change.revert !== undefined) await chain.revertToSnapshot(change.revert);
  if (change.nextBlockTime !== undefined) await chain.setNextBlockTime(change.nextBlockTime);
  if (change.mine !== undefined) await chain.mineBlocks(change.mine);
  return change.snapshot === true ? { snapshot: await chain.takeSnapshot() } : {};
}

function addScripts({ scripts }: ServiceState, body: unknown): void {
  const scriptBodies: unknown[] = Array.isArray(body) ? body : [body];
  for (const script of scriptBodies) requireScript(script);
  for (const script of scriptBodies as Script[]) scripts.addScript(script);
}

function changeClock({ clock }: ServiceState, { set, advance }: ClockChange): void {
  if (set !== undefined) clock.setTime(Date.parse(set));
  if (advance !== undefined) clock.advance(advance);
}

function changeAccount(
  { accounts }: ServiceState,
  change: v.InferOutput<typeof accountBodySchema>,
): void {
  const isWallet = /^0x[0-9a-f]{40}$/i.test(change.id);
  const account = accounts.openAccount(isWallet ? getWalletAccountId(change.id) : change.id);
  if (change.usd !== undefined) account.usd = toMicro(change.usd);
  if (change.bundled !== undefined) account.bundled = toMicro(change.bundled);
  if (change.stakedDiem !== undefined) {
    account.stakedDiem = toMicro(change.stakedDiem);
    delete account.dailyDiem;
  }
  for (const { expiresAt, limit, ...key } of change.keys) {
    accounts.addKey({
      ...omitUndefined(key),
      accountId: account.id,
      limit: {
        ...(limit?.usd !== undefined && { usd: toMicro(limit.usd) }),
        ...(limit?.diem !== undefined && { diem: toMicro(limit.diem) }),
      },
      ...(expiresAt !== undefined && { expiresAt: Date.parse(expiresAt) }),
    });
  }
}
