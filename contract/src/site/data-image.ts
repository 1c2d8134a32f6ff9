/**
 * `isDataImage` is true for a picture that stands in its address; as `img` it runs no script and
 * asks for nothing.
 */
export const isDataImage = (text: string): boolean =>
  /^data:image\/(?:png|jpeg|gif|webp|avif|svg\+xml|x-icon);base64,[A-Za-z0-9+/]+={0,2}$/.test(text);
