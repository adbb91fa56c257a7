import type { DocumentFormat } from './document-format.ts';

/** What pictures of a message are sent as; the others are converted to one of these. */
export type SentPictureFormat = 'png' | 'jpeg' | 'webp';

interface MediaFormat {
  readonly mediaType: string;
  readonly ending: string;
}

const office = 'application/vnd.openxmlformats-officedocument.';

export const mediaFormats: Readonly<Record<SentPictureFormat | DocumentFormat, MediaFormat>> = {
  png: { mediaType: 'image/png', ending: '.png' },
  jpeg: { mediaType: 'image/jpeg', ending: '.jpg' },
  webp: { mediaType: 'image/webp', ending: '.webp' },
  pdf: { mediaType: 'application/pdf', ending: '.pdf' },
  epub: { mediaType: 'application/epub+zip', ending: '.epub' },
  docx: { mediaType: `${office}wordprocessingml.document`, ending: '.docx' },
  pptx: { mediaType: `${office}presentationml.presentation`, ending: '.pptx' },
  xlsx: { mediaType: `${office}spreadsheetml.sheet`, ending: '.xlsx' },
  xls: { mediaType: 'application/vnd.ms-excel', ending: '.xls' },
};
