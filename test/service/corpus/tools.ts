import type { WebPage } from '../web/page.ts';

/** Handbook pages about development tools. */
export const toolPages: readonly WebPage[] = [
  {
    url: 'https://handbook.example.net/git/rebase',
    title: 'Rebase or merge in Git',
    date: '2026-02-21',
    text: `A rebase writes commits anew on top of another branch, while a merge joins two histories with one more commit. Rebase what only you have, merge what others have seen.

An interactive rebase also reorders, squashes and rewords commits. The reflog still has the old ones for some weeks.`,
  },
  {
    url: 'https://handbook.example.net/git/bisect',
    title: 'Finding a bad commit with git bisect',
    date: '2025-09-18',
    text: `The command git bisect finds the commit that broke something by halving the range again and again. Mark one good and one bad commit, then test what it checks out.

With git bisect run a script does the testing. Exit code 125 skips a commit that cannot be built.`,
  },
  {
    url: 'https://handbook.example.net/docker/layers',
    title: 'Small container images',
    date: '2026-05-25',
    text: `Each instruction of a Dockerfile makes a layer, and a layer is reused while nothing before it changed. Copy the lock file and install the packages before copying the source.

A build with several stages leaves compilers out of the final container image.`,
  },
  {
    url: 'https://handbook.example.net/testing/flaky',
    title: 'Flaky tests and their causes',
    date: '2026-07-01',
    text: `A flaky test passes and fails without a change of the code. The usual causes are time, order, shared state and the network.

Replace sleeping by waiting for the thing itself. Give every test its own data, and pass the clock in as an argument.`,
  },
  {
    url: 'https://handbook.example.net/debugging/minimal-example',
    title: 'The minimal example',
    date: '2025-08-12',
    text: `A minimal example is the shortest program that still shows the bug. Remove one thing at a time and check that the bug is still there.

Half of all bugs explain themselves on the way. For the others, the example is what a maintainer needs.`,
  },
  {
    url: 'https://handbook.example.net/http/retry',
    title: 'Retrying HTTP requests',
    date: '2026-04-04',
    text: `Retry only what may succeed later: 429, 503 and broken connections. Wait longer after each attempt and add some randomness, so that clients do not come back all at once.

The header Retry-After says how long to wait, in seconds or as a date. Never retry a payment without an idempotency key.`,
  },
  {
    url: 'https://handbook.example.net/http/caching',
    title: 'Caching over HTTP',
    date: '2026-01-29',
    text: `The header Cache-Control says who may keep a response and for how long. An ETag lets a client ask whether its copy is still right; the answer 304 has no body.

Put a hash of the content into the names of files that never change, and cache them for a year.`,
  },
  {
    url: 'https://handbook.example.net/editor/extensions',
    title: 'Editor extensions that start fast',
    date: '2026-06-30',
    text: `An editor extension should do nothing until somebody uses it. Register commands at the start, and load the code behind them at the first call.

Measure the activation time in a release build. Large dependencies belong behind a dynamic import.`,
  },
  {
    url: 'https://handbook.example.net/regex/backtracking',
    title: 'Regular expressions that never end',
    date: '2025-11-05',
    text: `A regular expression with nested repetitions can take exponential time on a text that almost matches. The engine tries every way of splitting the text.

Make the repeated parts exclude each other, or bound the length of the text first.`,
  },
  {
    url: 'https://handbook.example.net/security/secrets',
    title: 'Keeping secrets out of repositories',
    date: '2026-08-09',
    text: `A secret in a repository is public for as long as one clone exists. Revoke it first, and clean the history afterwards.

Keep keys in the secret storage of the operating system. A hook that scans commits finds most slips before they leave the machine.`,
  },
];
