// Which packages of others people get with ours: those that npm installs with it, and those whose code is inside the
// dashboard's bundle. Read from the lock, so that it is the same on every machine. Pure.

/** Specifiers of imports that are no file of ours and not Node's. */
const IMPORT = /(?:\bfrom|\bimport)\s*\(?\s*"(@[\w.-]+\/[\w.-]+|[a-z][\w.-]*)(?:\/[^"]*)?"/g;

/** The packages that a source text imports, by name. */
export function importedPackages(text) {
  return [...text.matchAll(IMPORT)].map(([, name]) => name).filter((name) => name !== "node");
}

/**
 * `bundled`: names of packages whose code is in the bundle. Gives name, version, licence, integrity and dependencies
 * of each package that is shipped, in the order of their names.
 */
export function shippedPackages(lock, bundled = []) {
  const { packages } = lock;
  const { dependencies = {}, optionalDependencies = {} } = packages[""];
  const found = new Map();
  const add = (from, name, isBundled) => {
    const path = resolvePath(packages, from, name);
    // A peer that nobody has installed, or types, of which nothing is in a bundle.
    if (path === undefined || (isBundled && name.startsWith("@types/"))) return undefined;
    const known = found.get(path);
    if (known) {
      known.isInstalled ||= !isBundled;
      return known.ref;
    }
    const { version, license, integrity, ...rest } = packages[path];
    const ref = `${name}@${version}`;
    const one = { path, ref, name, version, licence: license, integrity, isInstalled: !isBundled };
    found.set(path, one);
    const needed = { ...rest.dependencies, ...rest.optionalDependencies, ...rest.peerDependencies };
    one.needs = Object.keys(needed).flatMap((each) => add(path, each, isBundled) ?? []);
    return ref;
  };
  const own = Object.keys({ ...dependencies, ...optionalDependencies });
  const needs = [...own.map((name) => add("", name, false)), ...bundled.map((name) => add("", name, true))];
  // The same version may be in several folders: it is one package.
  const byRef = new Map([...found.values()].map((each) => [each.ref, each]));
  const shipped = [...byRef.values()].sort((a, b) => (a.ref < b.ref ? -1 : 1));
  return { packages: shipped, needs: [...new Set(needs.filter(Boolean))] };
}

/** As Node looks for it: beside the one who asks, then in the folders above. */
function resolvePath(packages, from, name) {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf("/node_modules/")))) {
    const path = `${folder === "" ? "" : `${folder}/`}node_modules/${name}`;
    if (packages[path]) return path;
    if (folder === "") return undefined;
  }
}
