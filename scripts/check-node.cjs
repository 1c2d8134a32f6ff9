// Node loads this file before the other scripts. It is plain JavaScript, because an old Node cannot read TypeScript.
// Node 24.7 is the first version with argon2.
const [major, minor] = process.versions.node.split(".").map(Number);
if (major < 24 || (major === 24 && minor < 7)) {
  console.error(
    `Tollgate needs Node 24.7 or newer and this is ${process.version}: run "npm ci" (without --ignore-scripts), which brings its own, or install a newer Node.`,
  );
  process.exit(1);
}
