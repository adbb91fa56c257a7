import type { WebPage } from '../web/page.ts';

/** Invented news, the latest first. */
export const newsPages: readonly WebPage[] = [
  {
    url: 'https://news.example.org/2026/harbour-bridge',
    title: 'Harbour bridge opens to cyclists',
    date: '2026-10-28',
    text: `The new harbour bridge of Northport opened to cyclists on Wednesday. Two thousand people crossed it in the first hour.

Cars will have to wait until spring, because the eastern ramp is not finished. The city says the cost stayed within its budget of 48 million.`,
  },
  {
    url: 'https://news.example.org/2026/solar-record',
    title: 'Solar power passes half of the demand for a week',
    date: '2026-10-21',
    text: `Solar power met more than half of the demand for electricity in the southern region for seven days in a row. It is the longest such stretch so far.

Batteries carried the evenings. The grid operator expects a new record next summer.`,
  },
  {
    url: 'https://news.example.org/2026/open-models',
    title: 'Open language models catch up in code benchmarks',
    date: '2026-10-14',
    text: `Three open language models reached the scores of closed ones in this month's code benchmark. The gap was twelve points a year ago.

Researchers warn that benchmarks leak into training data. They published a fresh set of tasks the same day.`,
  },
  {
    url: 'https://news.example.org/2026/library-robots',
    title: 'City library lends out robots',
    date: '2026-10-07',
    text: `The library of Westfield lends small robots to families since October. A card for readers is all one needs.

The robots can be programmed with blocks or in Python. The waiting list is three weeks long.`,
  },
  {
    url: 'https://news.example.org/2026/comet',
    title: 'Comet visible without a telescope',
    date: '2026-09-30',
    text: `A comet will be visible to the naked eye for ten nights from Friday. The best time is the hour before sunrise, low in the east.

Its tail is expected to be twenty degrees long. The comet will not return for 4,100 years.`,
  },
  {
    url: 'https://news.example.org/2026/train-timetable',
    title: 'Night trains return to the coast line',
    date: '2026-09-16',
    text: `Night trains will run on the coast line again from December, after eleven years. Tickets go on sale in November at a price from 39.

The trains take bicycles. Two of the four carriages have beds.`,
  },
  {
    url: 'https://news.example.org/2026/chess',
    title: 'Eighteen-year-old wins the chess open',
    date: '2026-08-24',
    text: `Mira Okafor, eighteen, won the chess open of Lakeside with nine points from ten games. She drew twice and lost none.

Her last game took six hours. She says she will study mathematics first.`,
  },
];

export const weatherPages: readonly WebPage[] = [
  {
    url: 'https://weather.example.org/northport',
    title: 'Weather in Northport today',
    date: '2026-10-30',
    text: `Northport has light rain today and a temperature of 11 degrees. The wind comes from the west and calms down in the evening.

Tomorrow will be dry with some sun. The weekend stays mild.`,
  },
];
