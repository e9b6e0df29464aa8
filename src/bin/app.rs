//! The standalone app.

fn main() {
    booking_widget::app::start();
}
