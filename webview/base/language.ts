/** The editor's language, for numbers and dates: the page's `lang`, as the host wrote it. */
export const language =
  typeof document === 'undefined' ? 'en' : document.documentElement.lang || 'en';
