//! The standalone app.

fn main() {
    booking_widget::app::shell::start();
}
