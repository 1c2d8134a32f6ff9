/** The two tags of tests that `npm test` leaves out. */

/**
 * A test that goes on where the others of its file stop: every pair where they take one of each
 * kind, every row of a table, a long stream. `npm test` leaves it out; CI and `npm run trust --
 * short` run it. What it promises, a test of `npm test` shows too.
 */
export const largeTag = {
  name: "large",
  description:
    "Every pair, row or step where the other tests of the file take some: left out of npm test, run by CI",
} as const;

/**
 * A test that shows for one more variant (list, provider, language, width, make of server) what an
 * untagged test shows for another. `npm test` leaves it out; `npm run trust -- short` runs it, and
 * CI a twelfth of them. A test that shows a promise is none.
 */
export const variantTag = {
  name: "variant",
  description:
    "One more variant of what another test shows: left out of npm test, run by npm run trust -- short",
} as const;

export const everydayTests = `--tagsFilter=!${variantTag.name} && !${largeTag.name}`;
export const withoutVariants = `--tagsFilter=!${variantTag.name}`;
export const variantsOnly = `--tagsFilter=${variantTag.name}`;
