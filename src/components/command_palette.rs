//! Command palette: a dialog with a search field and the commands that match it, after the ARIA combobox pattern: the focus
//! stays in the field, arrow keys move within the list.

use std::rc::Rc;

use booking_ui::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{Element, Event, KeyboardEvent};

use super::dialog::dialog;
use super::focus::focus_soon;
use super::icon::{Shape, icon};
use super::live_region::live_region;
use crate::i18n::{Key, use_texts};
use crate::time::format::fold;

/// Command of a palette.
#[derive(Clone)]
pub struct Command {
    pub title: String,
    /// More about it, such as the time of a booking; may be empty.
    pub note: String,
    pub shape: Shape,
    /// Called when the palette is closed and the focus is back.
    pub run: Rc<dyn Fn()>,
}

impl Command {
    /// Creates a command without a note.
    pub fn new(title: impl Into<String>, shape: Shape, run: impl Fn() + 'static) -> Self {
        Self {
            title: title.into(),
            note: String::new(),
            shape,
            run: Rc::new(run),
        }
    }

    /// True if each word of `typed` begins a word of its title. Scripts without spaces match anywhere.
    pub fn matches(&self, typed: &str) -> bool {
        let (title, typed) = (fold(&self.title), fold(typed));
        let begins_word = |at: usize| {
            let before = title
                .get(..at)
                .and_then(|before| before.chars().next_back());
            before.is_none_or(|before| !before.is_ascii_alphanumeric())
        };
        let is_found = |word| title.match_indices(word).any(|(at, _)| begins_word(at));
        typed.split_whitespace().all(is_found)
    }
}

/// Commands that the application adds to the palettes of its screens.
#[derive(Clone)]
pub struct AppCommands(pub Rc<dyn Fn() -> Vec<Command>>);

/// Opens a palette with the key of [`is_palette_key`], pressed in `card`; in the application, whose page is its own,
/// pressed anywhere.
pub fn open_palette_on_key(card: Node, is_open: RwSignal<bool>) -> Node {
    let open = move |event: Event| {
        if is_palette_key(&event) {
            event.prevent_default();
            is_open.set(true);
        }
    };
    if use_context::<AppCommands>().is_none() {
        return card.on("keydown", open);
    }
    listen_to(&document(), "keydown", open);
    card
}

/// True for Ctrl K, on Apple's computers for Command K, unless a dialog is open.
pub fn is_palette_key(event: &Event) -> bool {
    let key: &KeyboardEvent = event.unchecked_ref();
    // Ctrl K has a use of its own in the fields of these computers.
    let agent = window().navigator().user_agent().unwrap_or_default();
    let has_command = match agent.contains("Mac OS") {
        true => key.meta_key(),
        false => key.ctrl_key(),
    };
    let target: Option<Element> = event.composed_path().get(0).dyn_into().ok();
    // Cannot fail: the selector is a valid constant.
    let is_in_dialog = target.is_some_and(|target| matches!(target.closest("dialog"), Ok(Some(_))));
    has_command
        && key.key().eq_ignore_ascii_case("k")
        && !key.shift_key()
        && !key.alt_key()
        && !is_in_dialog
        && !event.default_prevented()
}

/// Palette that is shown while `is_open` is true. `commands` returns those for the text in `typed`, best first.
pub fn command_palette(
    is_open: RwSignal<bool>,
    typed: RwSignal<String>,
    commands: impl Fn() -> Vec<Command> + 'static,
) -> Node {
    let texts = use_texts();
    let commands = Rc::new(commands);
    let content = move || {
        typed.set(String::new());
        let shown = StoredValue::new(Vec::<Command>::new());
        let count = RwSignal::new(0);
        let active = RwSignal::new(0_usize);
        let run = move |index: usize| {
            let command = shown.with_value(|shown| shown.get(index).cloned());
            if let Some(command) = command {
                is_open.set(false);
                request_animation_frame(move || (command.run)());
            }
        };
        let keys = move |event: Event| {
            let key: &KeyboardEvent = event.unchecked_ref();
            let (at, last) = (active.get_untracked(), count.get_untracked().max(1) - 1);
            match key.key().as_str() {
                "ArrowDown" => active.set(if at < last { at + 1 } else { 0 }),
                "ArrowUp" => active.set(at.checked_sub(1).unwrap_or(last)),
                "Enter" if !key.is_composing() => run(at),
                _ => return,
            }
            event.prevent_default();
        };
        let field = el("input")
            .class("search-field")
            .attr("type", "text")
            .attr("role", "combobox")
            .attr_with("aria-expanded", move || Some((count.get() > 0).to_string()))
            .attr("aria-controls", "palette-list")
            .attr("aria-autocomplete", "list")
            .attr_with("aria-activedescendant", move || {
                (count.get() > 0).then(|| option_id(active.get()))
            })
            .attr("aria-label", texts.get(Key::Palette))
            .attr("placeholder", texts.get(Key::PaletteHint))
            .attr("dir", "auto")
            .attr("autocomplete", "off")
            .attr("autocapitalize", "none")
            .attr("spellcheck", "false")
            .attr("enterkeyhint", "go")
            .attr("autofocus", "")
            .on("keydown", keys)
            .on("input", move |event| {
                active.set(0);
                typed.set(value_of(&event));
            });
        // The dialog focuses it when it opens; a palette that loads later focuses it here.
        focus_soon(&field);
        let commands = Rc::clone(&commands);
        let options = move || {
            let commands = commands();
            shown.set_value(commands.clone());
            count.set(commands.len());
            let options = commands.into_iter().enumerate();
            fragment_of(options.map(|(index, command)| {
                let note = (!command.note.is_empty())
                    .then(|| el("span").class("palette-note").child(command.note));
                el("div")
                    .class("palette-option")
                    .attr("role", "option")
                    .attr("id", &option_id(index))
                    .attr_with("aria-selected", move || {
                        Some((active.get() == index).to_string())
                    })
                    .on("click", move |_| run(index))
                    .child(icon(command.shape))
                    .child(
                        el("span")
                            .class("palette-title")
                            .child(el("bdi").child(command.title))
                            .child(" ")
                            .child(note),
                    )
            }))
        };
        let list = el("div")
            .class("search-list")
            .attr("role", "listbox")
            .attr("id", "palette-list")
            .attr("aria-label", texts.get(Key::Palette))
            .flag_with("hidden", move || count.get() == 0);
        let list_element = list.element();
        effect(move || {
            let selector = ["#", &option_id(active.get())].concat();
            if let Ok(Some(option)) = list_element.query_selector(&selector) {
                scroll_into_view(&option);
            }
        });
        let none = move || match count.get() {
            0 => texts.get(Key::NoCommand).to_owned(),
            _ => String::new(),
        };
        el("div")
            .class("palette")
            .child(
                el("div")
                    .class("search-row")
                    .child(icon(Shape::Search))
                    .child(field),
            )
            .child(list.child_with(options))
            .child(el("p").class("search-none").text_with(none))
            .child(live_region(none))
    };
    dialog(texts.get(Key::Palette), is_open, content)
}

fn option_id(index: usize) -> String {
    ["command-", &index.to_string()].concat()
}
