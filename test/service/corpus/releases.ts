import type { WebPage } from '../web/page.ts';

/** Release notes of invented programs. */
export const releasePages: readonly WebPage[] = [
  {
    url: 'https://releases.example.com/lantern/5.2',
    title: 'Lantern 5.2 release notes',
    date: '2026-10-12',
    text: `Lantern 5.2 is the current version of the web framework Lantern. It renders lists twice as fast and drops support for callbacks in routes.

To upgrade from version 5.1, run lantern migrate. Routes with callbacks become async functions.`,
  },
  {
    url: 'https://releases.example.com/lantern/5.1',
    title: 'Lantern 5.1 release notes',
    date: '2026-06-03',
    text: `Lantern 5.1 adds streaming of templates and a new command for checking routes. It fixes forty bugs.

Version 5.0 is supported until the end of the year.`,
  },
  {
    url: 'https://releases.example.com/quarry/3.0',
    title: 'Quarry 3.0 released',
    date: '2026-09-22',
    text: `Quarry 3.0, the embedded database, is released with transactions over several files. The format of its files changed, and quarry convert translates old ones.

Reads are not locked by writes any more. The library grew by 90 kilobytes.`,
  },
  {
    url: 'https://releases.example.com/parcelwise/2.4',
    title: 'Parcelwise 2.4 changelog',
    date: '2026-08-17',
    text: `Parcelwise 2.4 resolves packages in parallel and is the latest release of the bundler. Builds of large workspaces take a third less time.

A security fix closes a hole in the handling of archives with absolute paths. Everybody should upgrade.`,
  },
  {
    url: 'https://releases.example.com/roadmap',
    title: 'Roadmap of the example projects',
    date: '2026-10-02',
    text: `The next release of Lantern is planned for January, that of Quarry for March. Both will need version 24 of the runtime.

Plans change. The roadmap is reviewed in the first week of every month.`,
  },
];
