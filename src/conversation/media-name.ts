/** What a media file is called: the SHA-256 of its content, and the ending of its format. */
export const mediaName = /^[0-9a-f]{64}\.(?:png|jpg|webp|pdf|epub|docx|pptx|xlsx|xls)$/u;
