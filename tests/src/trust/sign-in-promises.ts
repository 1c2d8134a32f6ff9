/**
 * Of what a stolen session, a leaver and a person between browser and identity provider may reach.
 */
export const signInPromises: Readonly<Record<string, string>> = {
  "SI-01":
    "Identity providers are added, changed and deleted by root with recent proof alone, and by no management key",
  "SI-02":
    "Where the operator asks for proof, no list shows an API key, and one is shown again to its owner with recent proof alone",
  "SI-03":
    "While the keys of a person rest because their identity provider has not seen them, their management keys and access token open nothing, on every node at once",
  "SI-04": "Guesses at recent proof, by password or code, are limited like guesses at sign-in",
};
