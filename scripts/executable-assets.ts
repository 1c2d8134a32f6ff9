// Names of files in the single executable.

/** The name of the folder that its files are unpacked into: another build has another one. */
export const buildAsset = "build.txt";
/** A file outside of the executable may import files; the program inside may not. */
export const startAsset = "start.cjs";
