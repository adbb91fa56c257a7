import type { WebPage } from '../web/page.ts';

/** Reference pages about programming languages. */
export const languagePages: readonly WebPage[] = [
  {
    url: 'https://docs.example.com/typescript/strict',
    title: 'Strict mode in TypeScript',
    date: '2026-03-11',
    text: `The strict flag of TypeScript switches on a family of checks at once. The most useful of them is strictNullChecks, which makes null and undefined types of their own.

In an old project, switch the checks on one after the other. Begin with noImplicitAny, because the others find little while half of the values are any.`,
  },
  {
    url: 'https://docs.example.com/typescript/narrowing',
    title: 'Narrowing types in TypeScript',
    date: '2026-05-02',
    text: `Narrowing is how TypeScript learns more about a value from the checks before it. A typeof check, an instanceof check and a comparison with a literal all narrow.

A discriminated union has one field with a literal type in each member. A switch over that field narrows in every case, and a default case of type never finds forgotten members.`,
  },
  {
    url: 'https://docs.example.com/javascript/closures',
    title: 'Closures in JavaScript',
    date: '2025-11-20',
    text: `A closure is a function together with the variables of the place it was written in. The variables live as long as the function does.

Loops with let make a new variable for each round, so closures made in the loop see different values. With var they all see the last one.`,
  },
  {
    url: 'https://docs.example.com/javascript/promises',
    title: 'Promises and async functions',
    date: '2026-01-15',
    text: `An async function returns a promise, and await waits for one without blocking the thread. Promise.all waits for several at once and fails with the first failure.

Use Promise.allSettled when every result counts. A promise that nobody awaits hides its error until the process reports an unhandled rejection.`,
  },
  {
    url: 'https://docs.example.com/python/virtual-environments',
    title: 'Virtual environments in Python',
    date: '2026-02-08',
    text: `A virtual environment keeps the packages of one Python project apart from all others. The command python -m venv makes one in a folder.

Activate it in the shell, or call the interpreter inside of it directly. Write the versions down in a lock file so that others get the same packages.`,
  },
  {
    url: 'https://docs.example.com/python/dataclasses',
    title: 'Data classes in Python',
    date: '2025-12-03',
    text: `A data class gets its constructor, its comparison and its text form from its fields. Mark it frozen to make its instances immutable and hashable.

Lists as defaults need a default_factory, because a plain default would be shared by all instances.`,
  },
  {
    url: 'https://docs.example.com/rust/ownership',
    title: 'Ownership in Rust',
    date: '2026-04-19',
    text: `Every value in Rust has one owner, and is dropped when its owner goes out of scope. Borrowing lends a value: either many readers or one writer.

The borrow checker refuses programs that break this rule at compile time. Most refusals go away when a borrow ends earlier.`,
  },
  {
    url: 'https://docs.example.com/go/channels',
    title: 'Channels and goroutines in Go',
    date: '2025-10-27',
    text: `A goroutine is a function that runs beside the others, and a channel carries values between them. A send on an unbuffered channel waits for a receiver.

Close a channel only from the side that sends. A context tells goroutines that their work is no longer wanted.`,
  },
  {
    url: 'https://docs.example.com/sql/indexes',
    title: 'Indexes in SQL databases',
    date: '2026-06-14',
    text: `An index lets a database find rows without reading the whole table. The order of the columns in an index matters: it serves queries that use its first columns.

Every index makes writes slower. Look at the query plan before adding one, and again afterwards.`,
  },
  {
    url: 'https://docs.example.com/css/grid',
    title: 'Layout with CSS grid',
    date: '2026-03-30',
    text: `CSS grid lays out boxes in rows and columns at once. The unit fr shares what is left of the space after fixed sizes are taken.

With auto-fit and minmax a grid gets as many columns as fit, without a media query.`,
  },
];
