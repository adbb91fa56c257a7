import { oneLine } from '../base/hidden-characters.ts';
import { htmlImage, jsxImage, markdownImage, styleUrl, vueImage } from './markup.ts';
import type { ReferenceLanguage } from './language.ts';
import type { PlainImage } from './plain-image.ts';
import { literalPath } from './reference-path.ts';
import { asciidocImage, latexImage, orgImage, restImage, typstImage } from './typesetting.ts';

/** A picture as a document refers to it. */
export interface ReferencedImage {
  /** From the document's folder, with `/` between its names, and nothing encoded; else the whole path of the file. */
  readonly path: string;
  /** What the picture shows; anything, such as a prompt. Empty for a picture that only decorates. */
  readonly alt: string;
  readonly title?: string;
  /** In pixels. */
  readonly width?: number;
  readonly height?: number;
}

export interface ImageReference {
  readonly text: string;
  /** Whether nothing else may stand on its lines. */
  readonly ownLine: boolean;
}

/**
 * What to write into a document to show a picture. Neither the path nor the texts can end what they stand in, or
 * become code of the language or of the common templates for it. The lines of a text are divided by line feeds.
 */
export function imageReference(
  language: ReferenceLanguage,
  { path, alt, title, width, height }: ReferencedImage,
): ImageReference {
  const image = {
    path,
    alt: oneLine(alt),
    title: oneLine(title ?? ''),
    width: pixels(width),
    height: pixels(height),
  };
  const { write, ownLine } = languages[language];
  return { text: write(image), ownLine };
}

interface Form {
  readonly write: (image: PlainImage) => string;
  readonly ownLine: boolean;
}

const languages: Readonly<Record<ReferenceLanguage, Form>> = {
  markdown: { write: markdownImage, ownLine: false },
  html: { write: htmlImage, ownLine: false },
  vue: { write: vueImage, ownLine: false },
  jsx: { write: jsxImage, ownLine: false },
  css: { write: styleUrl, ownLine: false },
  latex: { write: latexImage, ownLine: false },
  restructuredtext: { write: restImage, ownLine: true },
  asciidoc: { write: asciidocImage, ownLine: true },
  typst: { write: typstImage, ownLine: true },
  org: { write: orgImage, ownLine: true },
  plain: { write: ({ path }) => literalPath(path), ownLine: false },
};

const pixels = (value: number | undefined): number | undefined =>
  Number.isSafeInteger(value) && (value ?? 0) > 0 ? value : undefined;
