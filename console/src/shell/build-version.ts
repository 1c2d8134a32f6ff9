/** `chooseVersion` gives the version of the build; a build that was given none is 1.0.0. */
export const chooseVersion = (built: string | undefined): string => built ?? "1.0.0";
