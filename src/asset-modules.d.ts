/** A package's licence as text, as the bundler of the pages gives it. */
declare module "*/LICENSE?raw" {
  const text: string;
  export default text;
}

/** The address of a module that runs in a worker of the browser. */
declare module "*?worker&url" {
  const address: string;
  export default address;
}
