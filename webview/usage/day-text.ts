import { language } from '../base/translations.ts';

const format = new Intl.DateTimeFormat(language, {
  day: 'numeric',
  month: 'short',
  weekday: 'short',
  timeZone: 'UTC',
});

/** `Fri, Nov 20` of `2026-11-20`, in the editor's language. */
export const dayText = (day: string): string => format.format(new Date(`${day}T00:00:00Z`));
