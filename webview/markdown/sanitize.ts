import DOMPurify from 'dompurify';

/**
 * The one door through which a string becomes elements: `span`s with a class of the highlighter, and
 * text. Everything else is dropped.
 */
export function sanitize(html: string): DocumentFragment {
  const fragment = DOMPurify.sanitize(html, {
    ALLOWED_TAGS: ['span', '#text'],
    ALLOWED_ATTR: ['class'],
    ALLOW_ARIA_ATTR: false,
    ALLOW_DATA_ATTR: false,
    RETURN_DOM_FRAGMENT: true,
  });
  for (const element of fragment.querySelectorAll('[class]')) {
    if (!/^hljs-[\w -]+$/.test(element.className)) element.removeAttribute('class');
  }
  return fragment;
}
