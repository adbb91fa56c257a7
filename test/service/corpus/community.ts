import type { WebPage } from '../web/page.ts';

/** Forum questions and answers. */
export const communityPages: readonly WebPage[] = [
  {
    url: 'https://forum.example.net/t/promise-all-limit',
    title: 'How do I limit the number of promises at once?',
    date: '2026-05-19',
    text: `Question: I have ten thousand requests and Promise.all starts them all at once. How can I limit the concurrency?

Answer: start a fixed number of workers that take the next item from a shared iterator. Ten lines of code are enough, and no library is needed.`,
  },
  {
    url: 'https://forum.example.net/t/undo-last-commit',
    title: 'How can I undo my last commit?',
    date: '2025-12-28',
    text: `Question: I committed to the wrong branch in Git. How do I undo the last commit and keep my changes?

Answer: git reset --soft HEAD~1 takes the commit back and leaves the changes staged. If it was pushed already, use git revert.`,
  },
  {
    url: 'https://forum.example.net/t/float-sum',
    title: 'Why is 0.1 + 0.2 not 0.3?',
    date: '2026-02-02',
    text: `Question: adding 0.1 and 0.2 gives 0.30000000000000004 in every language I try. Is it a bug?

Answer: binary fractions cannot hold most decimal ones exactly. Count money in whole cents, and compare floating point numbers with a tolerance.`,
  },
  {
    url: 'https://forum.example.net/t/sort-numbers',
    title: 'Array sort puts 10 before 9',
    date: '2025-10-09',
    text: `Question: sorting an array of numbers in JavaScript gives 1, 10, 9. What is wrong?

Answer: without a comparison function the values are sorted as texts. Pass (a, b) => a - b.`,
  },
  {
    url: 'https://forum.example.net/t/memory-leak',
    title: 'Finding a memory leak in a server',
    date: '2026-07-23',
    text: `Question: our server grows by 20 megabytes an hour. How do I find the memory leak?

Answer: take two heap snapshots an hour apart and compare them by what holds the new objects. It is nearly always a cache without a limit or a listener that is never removed.`,
  },
  {
    url: 'https://forum.example.net/t/time-zones',
    title: 'Storing dates with time zones',
    date: '2026-03-06',
    text: `Question: should I store dates in UTC or in the time zone of the person?

Answer: store instants in UTC, and beside them the name of the time zone when the local time matters. An appointment next year needs the name, because the rules may change.`,
  },
];

/** Short posts of a social network. */
export const socialPosts: readonly WebPage[] = [
  {
    url: 'https://social.example.net/ada/1001',
    title: 'Ada on the Lantern release',
    date: '2026-10-13',
    text: `Upgraded to Lantern 5.2 in ten minutes. The migration did everything but one route.`,
  },
  {
    url: 'https://social.example.net/noor/1002',
    title: 'Noor on the comet',
    date: '2026-10-01',
    text: `Saw the comet this morning from the roof. No telescope, just patience and coffee.`,
  },
  {
    url: 'https://social.example.net/kim/1003',
    title: 'Kim on open models',
    date: '2026-10-15',
    text: `The open language models are now good enough for our code reviews. News travels fast.`,
  },
  {
    url: 'https://social.example.net/lee/1004',
    title: 'Lee on the harbour bridge',
    date: '2026-10-29',
    text: `First ride over the harbour bridge. The view is worth the climb.`,
  },
];
