/**
 * Marks tests that show for one more variant (list, provider, language, width, make of server) what an untagged test shows
 * for another. `npm test` leaves them out; `npm run trust -- short` runs them, and CI a third of them. A test that shows a promise is none.
 */
export const variantTag = {
  name: "variant",
  description: "One more variant of what another test shows: left out of npm test, run by npm run trust -- short",
} as const;

export const withoutVariants = `--tagsFilter=!${variantTag.name}`;
export const variantsOnly = `--tagsFilter=${variantTag.name}`;
