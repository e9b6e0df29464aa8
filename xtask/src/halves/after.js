// Becomes part of `picker.js`. `wasm` is what the first half exports, once it runs.
let after;
const import1 = {
  __wasm_split_load_after(callback, data) {
    after ??= fetch(new URL("SECOND", import.meta.url)).then(async (answer) => {
      if (!answer.ok) throw new Error(`${answer.url}: ${answer.status}`);
      return WebAssembly.instantiate(await answer.arrayBuffer(), { __wasm_split: wasm });
    });
    const tell = (arrived) => wasm.__indirect_function_table.get(callback)(data, arrived);
    after.then(() => tell(true), (error) => {
      // The next time it may arrive.
      after = undefined;
      console.warn(error);
      tell(false);
    });
  },
};
