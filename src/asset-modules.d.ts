/** A font's address in the release, as the bundler of the pages gives it. */
declare module "*.woff2?url" {
  const address: string;
  export default address;
}

/** A package's licence as text, as the bundler of the pages gives it. */
declare module "*/LICENSE?raw" {
  const text: string;
  export default text;
}
