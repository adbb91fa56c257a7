import { expect, test } from 'vitest';
import { ManualClock } from '../../../../test/support/manual-clock.ts';
import type { ImageRecord } from '../../image-record.ts';
import { ImageJobs, QueueFullError } from './image-jobs.ts';
import type { ImageTask } from '../../vscode/plan-image.ts';
import type { ImageOutcome, ImageProgress } from '../../vscode/run-image-task.ts';

const imageSize = { width: 4, height: 3 };
const createTask = (variants: 1 | 2 | 3 | 4 = 1): ImageTask => ({
  operation: { kind: 'generate', request: { model: 'm', prompt: 'p' }, variants },
});
const createRecord = (id: string): ImageRecord => ({
  id,
  createdAt: 0,
  origin: { kind: 'generate', request: { model: 'm', prompt: 'p' }, variant: 0, variants: 1 },
  format: 'png',
  width: 8,
  height: 6,
  bytes: 1,
  moderation: { blurred: false, contentViolation: false, reasons: [] },
  saved: [],
});

interface StartedCall {
  readonly signal: AbortSignal;
  readonly onProgress: (progress: ImageProgress) => void;
  readonly endCall: (outcome: ImageOutcome) => void;
}

function createFixture() {
  const calls: StartedCall[] = [];
  let idCount = 0;
  const clock = new ManualClock();
  const jobs = new ImageJobs({
    clock,
    createId: () => `j${++idCount}`,
    run: (_task, options) =>
      new Promise((end) => {
        calls.push({ ...options, endCall: end });
      }),
  });
  return { jobs, calls, clock };
}

const settlePromises = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('ImageJobs runs at most three calls at a time, and starts the next call when a call ends', async () => {
  const { jobs, calls } = createFixture();
  for (let count = 0; count < 5; count++) jobs.startJob(createTask(), imageSize);
  expect(jobs.list.map(({ status }) => status)).toEqual([
    'queued',
    'queued',
    'running',
    'running',
    'running',
  ]);
  calls[1]?.endCall({ records: [] });
  await settlePromises();
  expect(calls).toHaveLength(4);
  expect(jobs.list.map(({ id, status }) => `${id} ${status}`)).toEqual([
    'j5 queued',
    'j4 running',
    'j3 running',
    'j2 done',
    'j1 running',
  ]);
});

test('ImageJobs adds the ids of received images to a job, and updates the image size of the job', () => {
  const { jobs, calls } = createFixture();
  jobs.startJob(createTask(3), imageSize);
  expect(jobs.findJob('j1')).toMatchObject({ images: [null, null, null], width: 4, height: 3 });
  calls[0]?.onProgress({ type: 'image-end', record: createRecord('a') });
  calls[0]?.onProgress({ type: 'image-end', record: createRecord('b') });
  expect(jobs.findJob('j1')).toMatchObject({ images: ['a', 'b', null], width: 8, height: 6 });
});

test('ImageJobs marks a job as waiting after a failed attempt, until the response to the retry starts', () => {
  const { jobs, calls, clock } = createFixture();
  jobs.startJob(createTask(), imageSize);
  const failure = { code: 'overloaded', message: 'Busy.' } as const;
  calls[0]?.onProgress({ type: 'retry-wait', attempt: 2, delayMs: 500, failure });
  expect(jobs.findJob('j1')).toMatchObject({
    status: 'waiting',
    retry: { next: 2, at: clock.now() + 500, reason: 'Busy.' },
  });
  calls[0]?.onProgress({ type: 'reply-start' });
  expect(jobs.findJob('j1')).toMatchObject({ status: 'running' });
  expect(jobs.findJob('j1')).not.toHaveProperty('retry');
});

test.each([
  ['a job without a failure', 'done', { records: [] }],
  [
    'a job that fails with the code "stopped"',
    'canceled',
    { records: [], failure: { code: 'stopped', message: '', actions: [] } },
  ],
  [
    'a job that fails with the code "out-of-funds"',
    'failed',
    { records: [], failure: { code: 'out-of-funds', message: '', actions: [] } },
  ],
] as const)('ImageJobs gives %s the status "%s"', async (_name, status, outcome) => {
  const { jobs, calls, clock } = createFixture();
  jobs.startJob(createTask(), imageSize);
  calls[0]?.onProgress({ type: 'request-start' });
  await clock.advance(1_500);
  calls[0]?.endCall(outcome);
  await settlePromises();
  expect(jobs.findJob('j1')).toMatchObject({ status, durationMs: 1_500 });
});

test('ImageJobs measures the time of a job from the start of the request, and excludes the time of the dialog before the request', async () => {
  const { jobs, calls, clock } = createFixture();
  jobs.startJob(createTask(), imageSize);
  await clock.advance(60_000);
  expect(jobs.findJob('j1')).not.toHaveProperty('startedAt');
  calls[0]?.onProgress({ type: 'request-start' });
  expect(jobs.findJob('j1')?.startedAt).toBe(clock.now());
  await clock.advance(1_500);
  calls[0]?.endCall({ records: [] });
  await settlePromises();
  expect(jobs.findJob('j1')?.durationMs).toBe(1_500);
});

test('ImageJobs aborts a running call or skips a queued call when the user cancels the call', async () => {
  const { jobs, calls } = createFixture();
  for (let count = 0; count < 4; count++) jobs.startJob(createTask(), imageSize);
  jobs.cancelJob('j4');
  jobs.cancelJob('j1');
  expect(jobs.findJob('j4')?.status).toBe('canceled');
  expect(calls[0]?.signal.aborted).toBe(true);
  calls[0]?.endCall({ records: [], failure: { code: 'stopped', message: '', actions: [] } });
  await settlePromises();
  expect(calls).toHaveLength(3);
});

test('ImageJobs removes only completed jobs from the list', async () => {
  const { jobs, calls } = createFixture();
  const changes: string[] = [];
  jobs.onDidChange((change) => changes.push(change.type));
  jobs.startJob(createTask(), imageSize);
  jobs.dismissJob('j1');
  expect(jobs.list).toHaveLength(1);
  calls[0]?.endCall({ records: [] });
  await settlePromises();
  jobs.dismissJob('j1');
  expect(jobs.list).toEqual([]);
  expect(changes.at(-1)).toBe('job-remove');
});

test('ImageJobs rejects more than twenty unfinished jobs', async () => {
  const { jobs, calls } = createFixture();
  for (let count = 0; count < 20; count++) jobs.startJob(createTask(), imageSize);
  expect(() => jobs.startJob(createTask(), imageSize)).toThrow(QueueFullError);
  expect(jobs.list).toHaveLength(20);
  expect(calls).toHaveLength(3);
  calls[0]?.endCall({ records: [] });
  await settlePromises();
  expect(jobs.startJob(createTask(), imageSize).status).toBe('queued');
  jobs.cancelJob('j20');
  expect(() => jobs.startJob(createTask(), imageSize)).not.toThrow();
});

test('ImageJobs keeps at most 50 jobs by dropping the oldest completed jobs', async () => {
  const { jobs, calls } = createFixture();
  for (let count = 0; count < 60; count++) {
    jobs.startJob(createTask(), imageSize);
    calls.at(-1)?.endCall({ records: [] });
    await settlePromises();
  }
  expect(jobs.list).toHaveLength(50);
  expect(jobs.list.at(-1)?.id).toBe('j11');
});

test('ImageJobs aborts running calls when the queue is disposed', () => {
  const { jobs, calls } = createFixture();
  jobs.startJob(createTask(), imageSize);
  jobs.dispose();
  expect(calls[0]?.signal.aborted).toBe(true);
});
